import { Injectable, Logger } from '@nestjs/common';
import { Draining, type Caller } from '@app/http';
import { because, notFound, ok, refuse, Unavailable, type ConversationId, type Result } from '@app/kernel';
import { Metrics } from '@app/runtime';
import type { FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';
import { Counter } from 'prom-client';
import type { ConversationHub } from './conversation-hub';
import { ConversationHubs } from './conversation-hubs';
import { EventSocket } from './event-socket';
import { retryFrame } from './fin-event';
import { Journal } from './journal';
import { OpenStreams } from './open-streams';
import { StreamSockets } from './stream-sockets';

/** Keep-alive probes show a peer that is gone without a word. */
const keepAliveProbeMs = 30_000;

/**
 * `conversations.stream`: a conversation's events over SSE, from a seq on and then live (specification, "Events").
 * No query: it takes the reply over for as long as the stream lives.
 */
@Injectable()
export class StreamEvents {
  private readonly logger = new Logger(StreamEvents.name);
  private readonly cuts: Counter;

  constructor(
    private readonly journal: Journal,
    private readonly hubs: ConversationHubs,
    private readonly sockets: StreamSockets,
    private readonly streams: OpenStreams,
    private readonly draining: Draining,
    metrics: Metrics,
  ) {
    this.cuts = new Counter({
      name: 'parley_streams_cut_total',
      help: 'Event streams that were cut because their reader could not keep up',
      registers: [metrics.registry],
    });
  }

  /**
   * Takes the response over and streams strictly after `seq`; resolves as soon as the stream is open. `HEAD` is answered with the head
   * of the stream alone, and takes no place.
   * Refuses a missing or foreign conversation (`not_found`), and one stream too many (`stream_capacity`). Throws Unavailable.
   */
  async open(caller: Caller, id: ConversationId, seq: number, reply: FastifyReply): Promise<Result<null>> {
    if (!(await this.journal.belongsTo(id, caller.userId))) return refuse(notFound);
    if (reply.request.method === 'HEAD') {
      beginAnswer(reply)?.end();
      return ok(null);
    }
    const socketId = await this.sockets.acquire(caller.userId);
    if (socketId === null) return refuse(because('stream_capacity'));
    const leaving: (() => void)[] = [() => this.sockets.release(socketId)];
    const leave = () => {
      for (const step of leaving.splice(0)) step();
    };
    try {
      const { hub, leave: leaveHub } = await this.hubs.join(id);
      leaving.push(leaveHub);
      if (this.draining.begun) throw new Unavailable('service');
      const socket = this.start(reply, seq, leave);
      if (socket === null) return ok(null);
      leaving.unshift(() => hub.leave(socket));
      this.streams.add(socket, caller);
      void this.serve(hub, socket);
      return ok(null);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Opens the stream; null when the client has gone meanwhile. */
  private start(reply: FastifyReply, seq: number, leave: () => void): EventSocket | null {
    const response = beginAnswer(reply);
    const connection = response?.socket ?? null;
    if (response === null || connection === null) {
      leave();
      return null;
    }
    connection.setNoDelay(true);
    connection.setKeepAlive(true, keepAliveProbeMs);
    response.write(retryFrame);
    // A seq is a revision + 1, so what comes strictly after a seq starts at that revision.
    const socket = new EventSocket(response, connection, seq, () => this.cuts.inc());
    socket.whenClosed(leave);
    return socket;
  }

  private async serve(hub: ConversationHub, socket: EventSocket): Promise<void> {
    try {
      await hub.serve(socket);
    } catch (error) {
      // The client comes back and goes on where it was.
      this.logger.warn(`a replay broke off: ${String(error)}`);
      socket.end();
    }
  }
}

/** Takes the response over and writes its head; null when the client has gone meanwhile. */
function beginAnswer(reply: FastifyReply): ServerResponse | null {
  reply.headers({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-store',
    'x-accel-buffering': 'no',
  });
  reply.hijack();
  const response: ServerResponse = reply.raw;
  if (response.destroyed || response.socket === null) return null;
  // Without a length or an encoding the body ends with the connection, and so the client leaves with the stream.
  response.removeHeader('transfer-encoding');
  response.shouldKeepAlive = false;
  // What admission set (request id, rate limits) goes out as well. Not by `setHeader`, whose copy would live with the stream.
  const headers = Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
    value === undefined ? [] : [name, value],
  );
  return response.writeHead(200, headers);
}
