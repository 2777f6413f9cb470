import { failureWords } from '@app/kernel';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Draining } from '@app/http';
import { Metrics } from '@app/runtime';
import { Gauge } from 'prom-client';
import type { EventSocket } from './event-socket';
import { StreamHolders, type StreamHolder } from './stream-holders';
import { StreamSockets } from './stream-sockets';

/**
 * Keys, tokens and accounts are checked again with each, so that a revoked key ends its streams within 30 s (docs/decisions/journal.md).
 */
const heartbeatMs = 15_000;
/** The table of sockets is tidied once in this many heartbeats: once a minute. */
const heartbeatsPerTidying = 4;
/** A comment, which clients skip; it keeps idle connections open and reveals broken ones. */
const heartbeatFrame = Buffer.from(': heartbeat\n\n');
const lifeMaxMs = 30 * 60_000;
/** This share of the longest life is random, so that streams that were opened together do not all end together. */
const lifeJitter = 0.2;

type OpenStream = StreamHolder & {
  readonly socket: EventSocket;
  readonly endsAtMs: number;
};

/** The open streams of this process: kept alive by heartbeats, ended when their time or their holder's right is over. */
@Injectable()
export class OpenStreams implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(OpenStreams.name);
  private readonly streams = new Set<OpenStream>();
  private timer: NodeJS.Timeout | null = null;
  private readonly aging: ((nowMs: number) => void)[] = [];
  private heartbeats = 0;

  constructor(
    private readonly holders: StreamHolders,
    private readonly sockets: StreamSockets,
    private readonly draining: Draining,
    metrics: Metrics,
  ) {
    const { streams } = this;
    new Gauge({
      name: 'parley_streams_open',
      help: 'Open event streams',
      registers: [metrics.registry],
      collect() {
        this.set(streams.size);
      },
    });
  }

  onModuleInit(): void {
    this.timer = setInterval(() => this.heartbeat(), heartbeatMs).unref();
    this.draining.signal.addEventListener('abort', () => this.endAll(), { once: true });
  }

  onModuleDestroy(): void {
    if (this.timer !== null) clearInterval(this.timer);
    this.endAll();
  }

  /** Maintains a stream until it closes. */
  add(socket: EventSocket, holder: StreamHolder): void {
    const lifeMs = lifeMaxMs * (1 - lifeJitter * Math.random());
    const stream = { ...heldBy(holder), socket, endsAtMs: performance.now() + lifeMs };
    this.streams.add(stream);
    socket.whenClosed(() => this.streams.delete(stream));
  }

  /** Calls back with each heartbeat, so that sources can drop frames that are too old to be of use. */
  onHeartbeat(age: (nowMs: number) => void): void {
    this.aging.push(age);
  }

  /** Ends the streams that their holders may not hold any longer. Throws Unavailable. */
  async check(): Promise<void> {
    for (const { socket } of await this.holders.findRevoked([...this.streams])) socket.end();
  }

  private heartbeat(): void {
    const nowMs = performance.now();
    for (const { socket, endsAtMs } of this.streams) {
      if (nowMs >= endsAtMs) socket.end();
      else socket.write(heartbeatFrame);
    }
    for (const age of this.aging) age(nowMs);
    this.heartbeats += 1;
    // A dependency that does not answer ends no stream: the next heartbeat checks again.
    this.check().catch((error: unknown) =>
      this.logger.warn(`open streams could not be checked: ${failureWords(error)}`),
    );
    if (this.heartbeats % heartbeatsPerTidying > 0) return;
    this.sockets
      .tidy()
      .catch((error: unknown) => this.logger.warn(`sockets could not be tidied: ${failureWords(error)}`));
  }

  private endAll(): void {
    for (const { socket } of this.streams) socket.end();
  }
}

/** Copies only the members that are needed while the stream lives, because a caller has more. */
function heldBy(holder: StreamHolder): StreamHolder {
  const { partnerKeyId } = holder;
  if (!('userId' in holder)) return { partnerKeyId };
  const { userId, issuer, tokenExpiresAt } = holder;
  return { partnerKeyId, userId, issuer, tokenExpiresAt };
}
