import type { EventSourceMessage } from 'eventsource-parser';
import { hostOf } from './base-url.js';
import { NoUserToken } from './credentials.js';
import { GarbledStream, messagesOf } from './frames.js';
import { isProblem, ParleyUnreachable } from './problems.js';
import { askedDelayMs, jitteredMs, pause } from './retries.js';
import type { Transport } from './transport.js';

/** Used until the service sends another value with `retry:`. */
const retryMsDefault = 2_000;
/** The service sends a heartbeat every 15 s. */
const silenceMaxMsDefault = 45_000;
/** A connection that lasted longer resets the count of failures, even if it delivered no frame. */
const goodLifeMs = 30_000;
/** After this many unreadable messages at the same position the stream fails, because retrying will not help. */
const garbledMax = 5;

export interface FollowOptions {
  /** Ends the stream, without an error. */
  readonly signal?: AbortSignal;
  /** The connection is reopened when no byte arrived for this long; heartbeats arrive every 15 s. Default 45,000. */
  readonly silenceMaxMs?: number;
  /** Called when a connection opens. Live frames from before are not repeated: streamed text then has a gap. */
  readonly onOpen?: () => void;
}

/** A stream to follow, and the reader's position in it. */
export interface Followed<Frame> {
  readonly url: string;
  /** Whether the stream needs a user's token. */
  readonly forUser: boolean;
  /** Where the next connection begins, sent as `Last-Event-ID`; undefined: at the beginning. */
  readonly place: string | undefined;
  /** Returns a message's frame and moves behind it; null if it was already delivered. Throws GarbledStream. */
  take(message: EventSourceMessage): Frame | null;
  /** Moves the place to an `id` that was sent without a message. */
  passTo?(id: string): void;
}

/** Follows a stream of the service over as many connections as needed. */
export class FollowedStream<Frame> {
  private retryMs = retryMsDefault;
  /** Since the last frame, or the last good connection. */
  private failures = 0;
  private garbled = 0;
  /** A fresh token is requested at most once between two connections, before the one attempt that follows a refusal. */
  private renewal: 'none' | 'next' | 'done' = 'none';
  private readonly silenceMaxMs: number;
  private readonly onOpen: () => void;
  /** The same for every connection, so that they are found together in logs. */
  private readonly requestId = crypto.randomUUID();

  constructor(
    private readonly transport: Transport,
    private readonly followed: Followed<Frame>,
    options: FollowOptions,
  ) {
    this.silenceMaxMs = options.silenceMaxMs ?? silenceMaxMsDefault;
    this.onOpen = options.onOpen ?? (() => undefined);
  }

  /** Yields frames until the signal aborts. Throws when the service refuses for good, or cannot be understood. */
  async *frames(signal: AbortSignal): AsyncGenerator<Frame, void> {
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
      // Rejects when aborted; the loop's condition then ends it.
      await pause(waitMs, signal).catch(() => undefined);
    }
  }

  /** Yields the new frames of one connection. */
  private async *connection(signal: AbortSignal): AsyncGenerator<Frame, void> {
    const { url, place, forUser } = this.followed;
    const headers = new Headers({ 'x-request-id': this.requestId });
    if (place !== undefined) headers.set('last-event-id', place);
    const renew = this.renewal === 'next';
    if (renew) this.renewal = 'done';
    const body = await this.transport.open(url, headers, signal, { renew, forUser });
    this.renewal = 'none';
    const openedAt = performance.now();
    this.onOpen();
    const onRetry = (retryMs: number): void => {
      this.retryMs = retryMs;
    };
    const onPassed = this.followed.passTo?.bind(this.followed);
    try {
      for await (const message of messagesOf({ body, silenceMaxMs: this.silenceMaxMs, onRetry, onPassed })) {
        const frame = this.followed.take(message);
        if (frame === null) continue;
        this.failures = 0;
        this.garbled = 0;
        yield frame;
      }
    } finally {
      if (performance.now() - openedAt > goodLifeMs) this.failures = 0;
    }
  }

  /** Returns the wait before the next connection; throws the error if there is to be none. @param error null: a clean end */
  private nextWaitMs(error: unknown): number {
    if (this.transport.isRenewable(error) && this.renewal === 'none') {
      this.renewal = 'next';
      return 0;
    }
    if (error instanceof NoUserToken) throw error;
    if (isProblem(error) && error.status < 500 && !error.retryable) throw error;
    if (error instanceof GarbledStream) this.countGarbled(error);
    const waitMs = jitteredMs(this.retryMs, this.transport.policy.delayMaxMs, this.failures);
    this.failures += 1;
    return askedDelayMs(error) + waitMs;
  }

  private countGarbled(error: GarbledStream): void {
    this.garbled += 1;
    if (this.garbled < garbledMax) return;
    const { url, place = 'its beginning' } = this.followed;
    const host = hostOf(url);
    const what = `The stream of ${host} cannot be read after ${place}: ${error.message}`;
    const { requestId } = this;
    throw new ParleyUnreachable(what, { kind: 'answer', outcome: 'unknown', host, requestId, cause: error });
  }
}
