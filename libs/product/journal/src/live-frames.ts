import { failureWords } from '@app/kernel';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { ConversationId } from '@app/kernel';
import { Database } from '@app/read-store';
import { conversationKeyId, KeyRing } from '@app/sealing';
import { randomUUID } from 'node:crypto';
import type { LivePayload } from '@app/conversations';
import { liveChannel, subjectOf, writeLive } from './live-channel';

/** Pieces of one message that are published within this time are sent as one delta; of a call's progress the newest one is sent. */
const coalesceMs = 30;
/** UTF-16 units that may wait; beyond it live frames are dropped, since the journal will have the whole message or the result. */
const waitingTextMax = 1024 * 1024;
/** A report of progress counts as this many units, words included. */
const progressLength = 512;
/** How long a durable event may be delayed for the live frames before it. */
const flushMaxMs = 500;

interface Waiting {
  readonly conversationId: ConversationId;
  readonly first: LivePayload;
  readonly texts: string[];
}

/**
 * Publishes the engine's live frames for every reader of the conversation on every replica: deltas of a message and of the reasoning before
 * it, and the progress of tool calls. Presentation only: when PostgreSQL does not answer, they are lost, and nothing waits or fails because
 * of that.
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

  /** Sends a delta soon, together with whatever is added to its message meanwhile; of progress, the newest. Never throws. */
  publish(conversationId: ConversationId, payload: LivePayload): void {
    const text = 'text' in payload ? payload.text : null;
    const length = text?.length ?? progressLength;
    if (length === 0 || this.waitingText + length > waitingTextMax) return;
    // The id of a call is unique for one user only.
    const key = `${conversationId} ${subjectOf(payload)}`;
    const known = this.waiting.get(key);
    if (text !== null && known !== undefined) known.texts.push(text);
    else this.waiting.set(key, { conversationId, first: payload, texts: text === null ? [] : [text] });
    if (text !== null || known === undefined) this.waitingText += length;
    // While PostgreSQL is busy with the last ones, the next ones are collected.
    if (!this.busy) this.timer ??= setTimeout(() => void this.send(), coalesceMs).unref();
  }

  /**
   * Resolves when everything published for the conversation was sent, so that live frames arrive before the durable event that
   * ends them. Waits at most half a second; never rejects.
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

  /** Returns the sealed notifications of what waits; none for a conversation whose key is gone. Throws Unavailable. */
  private async payloads(batch: readonly Waiting[]): Promise<string[]> {
    const keys = await this.keys.keysOf(batch.map(({ conversationId }) => conversationKeyId(conversationId)));
    const name = () => `${this.id}.${(this.sent += 1)}`;
    return batch.flatMap(({ conversationId, first, texts }) => {
      const key = keys.get(conversationKeyId(conversationId)) ?? null;
      const payload = 'text' in first ? { ...first, text: texts.join('') } : first;
      return key === null ? [] : writeLive(conversationId, payload, name, key);
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
      if (!this.failing) this.logger.warn(`live frames are lost until PostgreSQL answers: ${failureWords(error)}`);
      this.failing = true;
    }
  }
}
