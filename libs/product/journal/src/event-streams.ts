import { Injectable, Logger } from '@nestjs/common';
import { answer, Draining, ProblemException } from '@app/http';
import { because, ok, refuse, Unavailable, type Result, failureWords } from '@app/kernel';
import { Metrics } from '@app/runtime';
import type { FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';
import { Counter } from 'prom-client';
import { EventSocket, type FrameSink } from './event-socket';
import { OpenStreams } from './open-streams';
import type { StreamHolder } from './stream-holders';
import { StreamSockets, type SocketOwner } from './stream-sockets';

/** Keep-alive probes detect a peer that is gone without closing. */
const keepAliveProbeMs = 30_000;
/** The delay that a client without a free stream is asked to wait. */
const streamRetrySeconds = 5;
/** The first frame: how long a client waits before it reconnects. */
const retryFrame = Buffer.from('retry: 2000\n\n');

/** Supplies a reader's frames. */
export interface FrameSource {
  /** Serves one reader after its position; resolves when it is live or gone. The caller must then call `leave`. Throws Unavailable. */
  serve(reader: FrameSink): Promise<void>;
  /** Removes a reader. */
  leave(reader: FrameSink): void;
}

/** A reader's place at a source. */
export interface Seat {
  readonly source: FrameSource;
  /** The caller must call it exactly once. */
  readonly leave: () => void;
}

/** A stream to be opened. */
export interface AskedStream {
  readonly holder: StreamHolder;
  /** The owner whose open streams are counted. */
  readonly owner: SocketOwner;
  /** The position after which the reader begins. */
  readonly after: number;
  /** Throws Unavailable. */
  join(this: void): Promise<Seat>;
}

/** Opens SSE streams, and keeps each for as long as its holder may have it and its reader keeps up. */
@Injectable()
export class EventStreams {
  private readonly logger = new Logger(EventStreams.name);
  private readonly cuts: Counter;

  constructor(
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
   * Takes the response over; resolves as soon as the stream is open. `HEAD` is answered with the head of the stream alone, and counts as no
   * stream. Refuses one stream too many (`stream_capacity`). Throws Unavailable.
   */
  async open(reply: FastifyReply, { holder, owner, after, join }: AskedStream): Promise<Result<null>> {
    if (reply.request.method === 'HEAD') {
      beginAnswer(reply)?.end();
      return ok(null);
    }
    const socketId = await this.sockets.acquire(owner);
    if (socketId === null) return refuse(because('stream_capacity'));
    const leaving: (() => void)[] = [() => this.sockets.release(socketId)];
    const leave = () => {
      for (const step of leaving.splice(0)) step();
    };
    try {
      const { source, leave: leaveSource } = await join();
      leaving.push(leaveSource);
      if (this.draining.begun) throw new Unavailable('service');
      const socket = this.start(reply, after, leave);
      if (socket === null) return ok(null);
      leaving.unshift(() => source.leave(socket));
      this.streams.add(socket, holder);
      void this.serve(source, socket);
      return ok(null);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Opens the stream; null when the client has gone meanwhile. */
  private start(reply: FastifyReply, after: number, leave: () => void): EventSocket | null {
    const response = beginAnswer(reply);
    const connection = response?.socket ?? null;
    if (response === null || connection === null) {
      leave();
      return null;
    }
    connection.setNoDelay(true);
    connection.setKeepAlive(true, keepAliveProbeMs);
    response.write(retryFrame);
    const socket = new EventSocket(response, connection, after, () => this.cuts.inc());
    socket.whenClosed(leave);
    return socket;
  }

  private async serve(source: FrameSource, socket: EventSocket): Promise<void> {
    try {
      await source.serve(socket);
    } catch (error) {
      // The client reconnects and continues at its position.
      this.logger.warn(`a replay broke off: ${failureWords(error)}`);
      socket.end();
    }
  }
}

/** Answers a request for a stream that was not opened; does nothing for one that was. @throws ProblemException */
export function answerOpened(opened: Result<null>): void {
  if (!opened.ok && opened.refusal.kind === 'reason' && opened.refusal.reason === 'stream_capacity')
    throw new ProblemException(opened.refusal, { 'retry-after': String(streamRetrySeconds) });
  answer(opened);
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
  // Without a length or an encoding the body ends with the connection, so the connection closes with the stream.
  response.removeHeader('transfer-encoding');
  response.shouldKeepAlive = false;
  // The headers of admission (request id, rate limits) are sent as well. Not by `setHeader`, whose copy would live as long as the stream.
  const headers = Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
    value === undefined ? [] : [name, value],
  );
  return response.writeHead(200, headers);
}
