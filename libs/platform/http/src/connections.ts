import type { Server } from 'node:http';
import { Socket, type AddressInfo, type Server as TcpServer } from 'node:net';
import type { Metrics } from '@app/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter } from 'prom-client';

/** Limits of a client's connections. */
export interface ConnectionBounds {
  /** How long a client may leave a connection idle, or stall when it is its turn; also the time limit for a head or a JSON body. */
  readonly quietMs: number;
  /** How long a whole request, or a whole answer other than an event stream, may take to transfer. */
  readonly transferMs: number;
  /** Maximum number of open connections. */
  readonly connectionsMax: number;
}

/** Number of times per quiet time that Node checks for requests that take too long. */
const looksPerQuietTime = 6;

type NodeBounds = Record<
  'connectionsCheckingInterval' | 'headersTimeout' | 'keepAliveTimeout' | 'requestTimeout',
  number
>;

/** How long a head or a JSON body may take, so that its connection is closed before the quiet time is over. */
export function arrivesWithinMs({ quietMs }: ConnectionBounds): number {
  return Math.floor(quietMs - quietMs / looksPerQuietTime);
}

/** The limits that Node itself enforces: for a connection without a request, and for an incomplete request. */
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

/** A small server that listens. */
export interface ListeningServer {
  /** The port that it listens on; chosen by the system if 0 was requested. */
  readonly port: number;
  /** Closes its connections as well. */
  close(): Promise<void>;
}

/** Begins to listen. Rejects when the address is taken. */
export async function beginListening(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  { connectionsMax }: ConnectionBounds,
): Promise<ListeningServer> {
  server.maxConnections = connectionsMax;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    // Reason for the assertion: a listening TCP server has an address and a port.
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

/** Closes new connections beyond the limit, and counts them; open ones are not affected. */
export function boundConnections(server: TcpServer, connectionsMax: number, metrics: Metrics): void {
  server.maxConnections = connectionsMax;
  const refused = new Counter({
    name: 'http_connections_refused_total',
    help: 'Connections that were closed as they came, since as many as may be were open',
    registers: [metrics.registry],
  });
  server.on('drop', () => refused.inc());
}

/** Ends connections whose client stalls while it has a request to send or an answer to read. Event streams have limits of their own. */
export function boundTransfers(fastify: FastifyInstance, { quietMs, transferMs }: ConnectionBounds): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.routePlan?.body === 'stream') boundSilence(request, reply, quietMs);
    done();
  });
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    const { socket } = request.raw;
    if (socket instanceof Socket) {
      // Progress in writing the remaining answer counts as activity.
      socket.setTimeout(quietMs);
      if (request.routeOptions.config.routePlan?.takesLong !== true) {
        const late = setTimeout(() => socket.destroy(), transferMs).unref();
        reply.raw.once('close', () => clearTimeout(late));
      }
    }
    done();
  });
}

/** Limits silence while an upload arrives; while it is processed, its client has nothing to do. */
function boundSilence({ raw }: FastifyRequest, reply: FastifyReply, quietMs: number): void {
  const { socket } = raw;
  if (!(socket instanceof Socket)) return;
  socket.setTimeout(quietMs);
  raw.once('end', () => {
    if (!reply.sent) socket.setTimeout(0);
  });
}
