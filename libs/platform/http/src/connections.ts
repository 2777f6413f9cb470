import { Socket, type Server as TcpServer } from 'node:net';
import type { Metrics } from '@app/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter } from 'prom-client';

/** What a client's connection may take of the service. */
export interface ConnectionBounds {
  /** How long a client may leave it idle, or not go on with what is its turn; a head or a JSON body takes no longer either. */
  readonly quietMs: number;
  /** How long a whole request, or a whole answer other than an event stream, may take to transfer. */
  readonly transferMs: number;
  /** Connections that are open at once. */
  readonly connectionsMax: number;
}

/** How often Node looks for requests that take too long, as a part of the time that they have. */
const looksPerQuietTime = 6;

type NodeBounds = Record<
  'connectionsCheckingInterval' | 'headersTimeout' | 'keepAliveTimeout' | 'requestTimeout',
  number
>;

/** How long a head or a JSON body may take, so that its connection is closed before the quiet time is over. */
export function arrivesWithinMs({ quietMs }: ConnectionBounds): number {
  return Math.floor(quietMs - quietMs / looksPerQuietTime);
}

/** The bounds that Node keeps by itself: a connection without a request, and a request that does not become whole. */
export function nodeBounds(bounds: ConnectionBounds): NodeBounds {
  const { quietMs, transferMs } = bounds;
  const withinMs = arrivesWithinMs(bounds);
  return {
    connectionsCheckingInterval: Math.ceil(quietMs / looksPerQuietTime),
    headersTimeout: withinMs,
    keepAliveTimeout: withinMs,
    requestTimeout: Math.max(transferMs, withinMs),
  };
}

/** Closes connections beyond the bound as they come, and counts them; those that are open do not notice. */
export function boundConnections(server: TcpServer, connectionsMax: number, metrics: Metrics): void {
  server.maxConnections = connectionsMax;
  const refused = new Counter({
    name: 'http_connections_refused_total',
    help: 'Connections that were closed as they came, since as many as may be were open',
    registers: [metrics.registry],
  });
  server.on('drop', () => refused.inc());
}

/** Ends connections whose client has a request to send on, or an answer to read, and does not go on. Event streams bound themselves. */
export function boundTransfers(fastify: FastifyInstance, { quietMs, transferMs }: ConnectionBounds): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.routePlan?.body === 'stream') boundSilence(request, reply, quietMs);
    done();
  });
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    const { socket } = request.raw;
    if (socket instanceof Socket) {
      // Progress of what is still to be written counts as activity.
      socket.setTimeout(quietMs);
      const late = setTimeout(() => socket.destroy(), transferMs).unref();
      reply.raw.once('close', () => clearTimeout(late));
    }
    done();
  });
}

/** While an upload comes; as long as it is worked on, its client has nothing to do. */
function boundSilence({ raw }: FastifyRequest, reply: FastifyReply, quietMs: number): void {
  const { socket } = raw;
  if (!(socket instanceof Socket)) return;
  socket.setTimeout(quietMs);
  raw.once('end', () => {
    if (!reply.sent) socket.setTimeout(0);
  });
}
