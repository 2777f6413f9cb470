import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Frame, TestClient } from './deployment-client';

const reopenPauseMs = 50;

/** A durable event, as a stream delivered it. */
export interface SeenEvent {
  readonly seq: number;
  readonly type: string | undefined;
  readonly data: Frame['data'];
}

/** Follows a conversation's stream the way a browser does: whenever it ends, it reconnects after the last id received. */
export class FollowingReader {
  /** Every durable event, over all connections, in the order of receipt. */
  readonly seen: SeenEvent[] = [];
  /** Faults of the stream: an event twice, out of order (counted from the id that it resumed at), or not as documented. */
  readonly faults: string[] = [];
  connections = 0;
  private readonly over = new AbortController();
  private readonly following: Promise<void>;
  private cut: (() => Promise<void>) | null = null;
  private lastSeq = 0;
  private readonly coming = new EventEmitter();

  /** @param clients the same user through each replica; each connection goes to the next one */
  constructor(
    private readonly clients: readonly TestClient[],
    private readonly conversationId: string,
  ) {
    this.following = this.follow();
  }

  /**
   * Breaks the current connection, as a network would; the reader reconnects by itself. Returns false if there is none
   * now.
   */
  async disconnect(): Promise<boolean> {
    const { cut } = this;
    this.cut = null;
    await cut?.();
    return cut !== null;
  }

  /** Waits until the event with that `seq` is received. Throws if it is not within the time. */
  async until(seq: number, withinMs: number): Promise<void> {
    if (await this.has(() => this.lastSeq >= seq, withinMs)) return;
    throw new Error(`seq ${seq} did not come; the last one was ${this.lastSeq}`);
  }

  /** Waits until enough was received, checked at every event. Returns false if that takes longer than the time. */
  async has(isEnough: () => boolean, withinMs: number): Promise<boolean> {
    const signal = AbortSignal.timeout(withinMs);
    while (!isEnough()) {
      if (signal.aborted) return false;
      await once(this.coming, 'event', { signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error; // otherwise the time is over, which the loop above handles
      });
    }
    return true;
  }

  async close(): Promise<void> {
    this.over.abort();
    await this.disconnect();
    await this.following;
  }

  private async follow(): Promise<void> {
    while (!this.over.signal.aborted) {
      await this.connection().catch(() => undefined); // the replica is unavailable: try again
      await sleep(reopenPauseMs, undefined, { signal: this.over.signal }).catch(() => undefined); // closed meanwhile
    }
  }

  private async connection(): Promise<void> {
    const client = this.clients[this.connections % this.clients.length];
    if (client === undefined) throw new Error('a reader needs a client');
    this.connections += 1;
    const headers = { 'last-event-id': String(this.lastSeq) };
    const reader = await client.stream(`/conversations/${this.conversationId}/stream`, headers);
    this.cut = () => reader.close().catch(() => undefined); // a fault is recorded below, with its connection
    if (this.over.signal.aborted) await this.cut();
    reader.forEach((frame) => this.take(frame));
    await reader.ended;
    if (reader.fault !== null) this.faults.push(reader.fault);
  }

  private take(frame: Frame): void {
    if (frame.id === undefined) return;
    const seq = Number(frame.id);
    if (seq !== this.lastSeq + 1)
      this.faults.push(`after ${this.lastSeq} came ${seq} (connection ${this.connections})`);
    this.lastSeq = seq;
    this.seen.push({ seq, type: frame.event, data: frame.data });
    this.coming.emit('event');
  }
}
