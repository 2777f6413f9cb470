import { failureWords } from '@app/kernel';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { ConversationId } from '@app/kernel';
import { Database } from '@app/read-store';
import { conversationKeyId, KeyRing } from '@app/sealing';
import { randomUUID } from 'node:crypto';
import type { LiveDelta } from '@app/conversations';
import { liveChannel, writeDelta } from './live-channel';

/** Pieces of one message that are published within this time are sent as one delta. */
const coalesceMs = 30;
/** UTF-16 units that may wait; beyond it deltas are dropped, since the journal will have the whole message. */
const waitingTextMax = 1024 * 1024;
/** How long a message's durable event may be delayed for its deltas. */
const flushMaxMs = 500;

interface Waiting {
  readonly conversationId: ConversationId;
  readonly first: LiveDelta;
  readonly texts: string[];
}

/**
 * Publishes the engine's deltas of a message and of the reasoning before it, for every reader of the conversation on every replica.
 * Presentation only: when PostgreSQL does not answer, deltas are lost, and nothing waits or fails because of that.
 */
@Injectable()
export class LiveFrames implements OnApplicationShutdown {
  private readonly logger = new Logger(LiveFrames.name);
  private waiting = new Map<string, Waiting>();
  private waitingText = 0;
  private timer: NodeJS.Timeout | null = null;
  private sending: Promise<void> = Promise.resolve();
  private busy = false;
  /** Logs the first of several failures in a row only. */
  private failing = false;
  /** With a number, the name of each payload. */
  private readonly id = randomUUID();
  private sent = 0;

  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
  ) {}

  /** Sends the delta soon, together with whatever is added to its message meanwhile. Never throws. */
  publish(conversationId: ConversationId, delta: LiveDelta): void {
    if (delta.text === '' || this.waitingText + delta.text.length > waitingTextMax) return;
    this.waitingText += delta.text.length;
    const known = this.waiting.get(delta.messageId);
    if (known === undefined) this.waiting.set(delta.messageId, { conversationId, first: delta, texts: [delta.text] });
    else known.texts.push(delta.text);
    // While PostgreSQL is busy with the last ones, the next ones are collected.
    if (!this.busy) this.timer ??= setTimeout(() => void this.send(), coalesceMs).unref();
  }

  /**
   * Resolves when everything published for the conversation was sent, so that a message's deltas arrive before its durable event. Waits at
   * most half a second; never rejects.
   */
  async flush(conversationId: ConversationId): Promise<void> {
    const pending = [...this.waiting.values()].some((waiting) => waiting.conversationId === conversationId);
    if (!pending && !this.busy) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, flushMaxMs)));
    await Promise.race([pending ? this.sending.then(() => this.send()) : this.sending, late]);
    clearTimeout(timer);
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    await this.sending;
  }

  /** Sends everything that waits with one statement; one statement at a time, so that a message's deltas stay in order. */
  private send(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (this.busy || this.waiting.size === 0) return this.sending;
    const batch = [...this.waiting.values()];
    this.waiting = new Map();
    this.waitingText = 0;
    this.busy = true;
    this.sending = this.notify(batch).then(() => {
      this.busy = false;
      if (this.waiting.size > 0) this.timer ??= setTimeout(() => void this.send(), coalesceMs).unref();
    });
    return this.sending;
  }

  /** Returns the sealed payloads of the deltas; none for a conversation whose key is gone. Throws Unavailable. */
  private async payloads(batch: readonly Waiting[]): Promise<string[]> {
    const keys = await this.keys.keysOf(batch.map(({ conversationId }) => conversationKeyId(conversationId)));
    const name = () => `${this.id}.${(this.sent += 1)}`;
    return batch.flatMap(({ conversationId, first, texts }) => {
      const key = keys.get(conversationKeyId(conversationId)) ?? null;
      return key === null ? [] : writeDelta(conversationId, { ...first, text: texts.join('') }, name, key);
    });
  }

  private async notify(batch: readonly Waiting[]): Promise<void> {
    try {
      const payloads = await this.payloads(batch);
      await this.database.query('SELECT pg_notify($1, payload) FROM unnest($2::text[]) payload', [
        liveChannel,
        payloads,
      ]);
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.logger.warn(`live deltas are lost until PostgreSQL answers: ${failureWords(error)}`);
      this.failing = true;
    }
  }
}
