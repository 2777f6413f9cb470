import type { StoredEvent, EventBatch } from '../events/codec';

/** Events that may wait for a follower, in addition to the batch in hand; a follower with more of them reads for itself. */
const waitingEventsMax = 2_000;
/** How soon a follower learns how far the store was read when no event concerned it. */
const quietMs = 1_000;

/** Events that the shared subscription has received for one follower, and that it has not handled yet. */
export class Follower {
  private waiting: StoredEvent[] = [];
  /** The batch handed out, and handed out again until it is handled. */
  private inHand: EventBatch | null = null;
  /** All events that concern it after `since`, up to `readUpTo`, are in hand or waiting. Null before the shared subscription has begun. */
  private since: number | null = null;
  private readUpTo = 0;
  private isQuietOver = false;
  private quiet: NodeJS.Timeout | undefined;
  private wake = (): void => undefined;
  private readonly prefixes: readonly string[];

  constructor(
    categories: readonly string[],
    private readonly signal: AbortSignal,
  ) {
    this.prefixes = categories.map((category) => `${category}-`);
    signal.addEventListener('abort', this.onAbort);
  }

  /** The shared subscription delivers the events after this position. */
  begin(position: number): void {
    this.since = position;
    this.readUpTo = position;
    this.wake();
  }

  /** Queues the events that concern it. Never throws and never blocks. */
  offer({ events, upTo }: EventBatch): void {
    const own = this.among(events);
    this.readUpTo = upTo;
    this.waiting.push(...own);
    if (this.waiting.length > waitingEventsMax) {
      this.waiting = [];
      // Not `upTo`: a follower that reads for itself need not reach a position without an event.
      this.since = events.at(-1)?.position ?? upTo;
    }
    if (own.length > 0) this.wake();
    else
      this.quiet ??= setTimeout(() => {
        this.quiet = undefined;
        this.isQuietOver = true;
        this.wake();
      }, quietMs);
  }

  /** Filters the events that concern it. */
  among(events: readonly StoredEvent[]): StoredEvent[] {
    return events.filter(({ stream }) => this.prefixes.some((prefix) => stream.startsWith(prefix)));
  }

  /** Whether there are events after the position that will not be delivered, so that it must read for itself. */
  isBehind(passed: number): boolean {
    return this.since !== null && passed < this.since && !this.hasInHand(passed);
  }

  /** The events after the position: the same batch again until that is passed, then all that wait by then, or null. */
  take(passed: number): EventBatch | null {
    if (this.hasInHand(passed)) return this.inHand;
    if (this.since === null || passed < this.since) return null;
    const events = this.waiting.filter(({ position }) => position > passed);
    if (events.length === 0 && !(this.isQuietOver && this.readUpTo > passed)) return null;
    this.isQuietOver = false;
    this.waiting = [];
    this.inHand = { events, upTo: this.readUpTo };
    return this.inHand;
  }

  /** Resolves when there may be something to take, and when the signal aborts. */
  async news(): Promise<void> {
    if (this.signal.aborted) return;
    await new Promise<void>((resolve) => (this.wake = resolve));
  }

  leave(): void {
    clearTimeout(this.quiet);
    this.signal.removeEventListener('abort', this.onAbort);
  }

  private readonly onAbort = (): void => this.wake();

  private hasInHand(passed: number): boolean {
    return this.inHand !== null && this.inHand.upTo > passed;
  }
}
