import { hostOf } from './base-url.js';
import { framesOf, GarbledStream } from './frames.js';
import { isProblem, ParleyUnreachable } from './problems.js';
import { askedDelayMs, jitteredMs, pause } from './retries.js';
import type { Transport } from './transport.js';
import type { JournalFrame } from './types.js';

/** Until the service says otherwise with `retry:`. */
const retryMsDefault = 2_000;
/** The service sends a heartbeat every 15 s. */
const silenceMaxMsDefault = 45_000;
/** A connection that lived this long was a good one, even if nothing happened in the conversation. */
const goodLifeMs = 30_000;
/** The same place cannot be read this often: then it never will be. */
const garbledMax = 5;

export interface StreamOptions {
  readonly userId: string;
  readonly conversationId: string;
  /** Begin strictly after this `seq`, such as a conversation's `lastSeq`; 0, the default: from the beginning. */
  readonly after?: number;
  /** Ends the stream, without an error. */
  readonly signal?: AbortSignal;
  /** The connection is opened again when no byte came for this long; heartbeats come every 15 s. Default 45,000. */
  readonly silenceMaxMs?: number;
  /** Told of each connection that opens. Live frames of before it are not given again, so what was being said then has a gap. */
  readonly onOpen?: () => void;
}

/** Follows one conversation's journal over as many connections as it takes. */
export class JournalStream {
  private after: number;
  private retryMs = retryMsDefault;
  /** Since the last frame, or the last good connection. */
  private failures = 0;
  private garbled = 0;
  /** A fresh token is asked for at most once between two connections, in front of the one attempt after a refusal. */
  private renewal: 'none' | 'next' | 'done' = 'none';
  private readonly silenceMaxMs: number;
  private readonly onOpen: () => void;
  private readonly url: string;
  /** The same for every connection, so that they are found together in logs. */
  private readonly requestId = crypto.randomUUID();

  constructor(
    private readonly transport: Transport,
    baseUrl: string,
    options: StreamOptions,
  ) {
    const { userId, conversationId, after = 0, silenceMaxMs = silenceMaxMsDefault } = options;
    const [user, conversation] = [userId, conversationId].map(encodeURIComponent);
    this.url = `${baseUrl}/v1/users/${user}/conversations/${conversation}/stream`;
    this.after = after;
    this.silenceMaxMs = silenceMaxMs;
    this.onOpen = options.onOpen ?? (() => undefined);
  }

  /** Ends when the signal aborts. Throws when the service refuses for good, or cannot be understood. */
  async *frames(signal: AbortSignal): AsyncGenerator<JournalFrame, void> {
    while (!signal.aborted) {
      const connection = new AbortController();
      const stop = (): void => connection.abort(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      let waitMs: number;
      try {
        yield* this.connection(connection.signal);
        waitMs = this.nextWaitMs(null);
      } catch (error) {
        if (signal.aborted) return;
        waitMs = this.nextWaitMs(error);
      } finally {
        signal.removeEventListener('abort', stop);
        connection.abort();
      }
      // Aborted, it rejects; that is the end, which the loop's condition sees.
      await pause(waitMs, signal).catch(() => undefined);
    }
  }

  /** The new frames of one connection. */
  private async *connection(signal: AbortSignal): AsyncGenerator<JournalFrame, void> {
    const headers = new Headers({ 'x-request-id': this.requestId, 'last-event-id': String(this.after) });
    const renew = this.renewal === 'next';
    if (renew) this.renewal = 'done';
    const body = await this.transport.open(this.url, headers, signal, renew);
    this.renewal = 'none';
    const openedAt = performance.now();
    this.onOpen();
    const onRetry = (retryMs: number): void => {
      this.retryMs = retryMs;
    };
    try {
      for await (const frame of framesOf({ body, silenceMaxMs: this.silenceMaxMs, onRetry })) {
        if (frame.delivery === 'durable' && !this.isNext(frame.seq)) continue;
        this.failures = 0;
        this.garbled = 0;
        yield frame;
      }
    } finally {
      if (performance.now() - openedAt > goodLifeMs) this.failures = 0;
    }
  }

  /** Whether a durable frame was not given yet. Throws GarbledStream when the ones before it are missing. */
  private isNext(seq: number): boolean {
    if (seq <= this.after) return false;
    if (seq !== this.after + 1) throw new GarbledStream(`${seq} came after ${this.after}`);
    this.after = seq;
    return true;
  }

  /** How long to wait before the next connection; throws the error when there is to be none. @param error null: a clean end */
  private nextWaitMs(error: unknown): number {
    if (this.transport.isRenewable(error) && this.renewal === 'none') {
      this.renewal = 'next';
      return 0;
    }
    if (isProblem(error) && error.status < 500 && !error.retryable) throw error;
    if (error instanceof GarbledStream) this.countGarbled(error);
    const waitMs = jitteredMs(this.retryMs, this.transport.policy.delayMaxMs, this.failures);
    this.failures += 1;
    return askedDelayMs(error) + waitMs;
  }

  private countGarbled(error: GarbledStream): void {
    this.garbled += 1;
    if (this.garbled < garbledMax) return;
    const host = hostOf(this.url);
    const what = `The stream of ${host} cannot be read after ${this.after}: ${error.message}`;
    const { requestId } = this;
    throw new ParleyUnreachable(what, { kind: 'answer', outcome: 'unknown', host, requestId, cause: error });
  }
}
