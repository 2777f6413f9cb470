import type { StoredEvent } from './codec';
import type { EventBatch } from './intake';

/** Events that wait for a follower beside the batch that it has in hand; one with more of them reads for itself. */
const waitingEventsMax = 2_000;
/** How soon a follower hears how far the store was read where nothing concerned it. */
const quietMs = 1_000;

/** What the shared subscription has brought for one of those who follow it, and has not been handled by it yet. */
export class Follower {
  private waiting: StoredEvent[] = [];
  /** Given out, and given out again until it is handled. */
  private inHand: EventBatch | null = null;
  /** All that concerns it after `since`, up to `readUpTo`, is in hand or waiting. Null before the shared subscription has begun. */
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

  /** The shared subscription brings what comes after this position. */
  begin(position: number): void {
    this.since = position;
    this.readUpTo = position;
    this.wake();
  }

  /** Takes in what concerns it. Never throws, and nobody waits for it. */
  offer({ events, upTo }: EventBatch): void {
    const own = this.among(events);
    this.readUpTo = upTo;
    this.waiting.push(...own);
    if (this.waiting.length > waitingEventsMax) {
      this.waiting = [];
      // Not `upTo`: who reads for itself need not be told of a position without an event.
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

  /** Those events that concern it. */
  among(events: readonly StoredEvent[]): StoredEvent[] {
    return events.filter(({ stream }) => this.prefixes.some((prefix) => stream.startsWith(prefix)));
  }

  /** Whether there are events after the position that nobody will bring, so that it has to read for itself. */
  isBehind(passed: number): boolean {
    return this.since !== null && passed < this.since && !this.hasInHand(passed);
  }

  /** What comes after the position: the same batch again until that is passed, as much as there is by then, or null. */
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
