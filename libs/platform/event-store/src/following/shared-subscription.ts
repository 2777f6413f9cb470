import type { EventStoreDBClient } from '@eventstore/db-client';
import type { EventFeed } from '../events/event-feed';
import { Follower } from './follower';
import { asSubscription } from '../calls/open-calls';
import { keepFollowing, readOn, type Following } from './subscriptions';
import type { EventBatch } from '../events/codec';

type FollowingShared = Omit<Following, 'feed'>;
type Place = Pick<Following, 'categories' | 'after' | 'signal'>;

/** The one subscription while there are followers. */
interface Reading {
  readonly stop: AbortController;
  /** Aborted when the subscription has to be opened again, with more categories. */
  widened: AbortController;
  /** Position it has reached; null before it has begun. */
  position: number | null;
  done: Promise<void>;
}

/**
 * Follows everything for a process with one subscription to the categories of all its followers, so that an event is sent and decoded once.
 * It begins at the store's end with the first follower, never waits for any, and ends with the last; it publishes all its events on the
 * feed. Each follower has its own position and pace, and a bounded queue:
 *
 * - One that is slow or fails delays no other. A failed batch is delivered again after a pause, as with a subscription of its own.
 * - One that starts further back, or whose queue is full, reads for itself, by a subscription that ends once it has passed the position
 * from which the shared one has kept events for it. From there on it takes those, without a gap.
 *
 * Every follower gets each event of its categories after its position at least once, and in the order of the store.
 */
export class SharedSubscription {
  private readonly followers = new Set<Follower>();
  private readonly categories = new Set<string>();
  private reading: Reading | null = null;

  /** @param endOf returns the position of the newest event of some categories, or of a later event of others */
  constructor(
    private readonly client: EventStoreDBClient,
    private readonly feed: EventFeed,
    private readonly endOf: (categories: readonly string[]) => Promise<number>,
  ) {}

  /** How far the store has been read; null without followers, and until it has begun. */
  get position(): number | null {
    return this.reading?.position ?? null;
  }

  /**
   * Announces categories that will be followed. If all are announced before the first follower, the subscription is opened once and not
   * again for each.
   */
  expect(categories: readonly string[]): void {
    const known = this.categories.size;
    for (const category of categories) this.categories.add(category);
    if (this.categories.size > known) this.reading?.widened.abort();
  }

  /**
   * Follows the streams of some categories, strictly after a position (0: from the beginning), until the signal aborts. Resumes by itself,
   * with backoff, when a subscription breaks or the handler throws; delivers each event at least once and in order. Empty batches report
   * how far the store has been read.
   */
  async follow(options: FollowingShared): Promise<void> {
    this.expect(options.categories);
    const follower = new Follower(options.categories, options.signal);
    this.followers.add(follower);
    const reading = (this.reading ??= this.begin());
    if (reading.position !== null) follower.begin(reading.position);
    try {
      await this.attend(follower, options);
    } finally {
      follower.leave();
      this.followers.delete(follower);
      if (this.followers.size === 0) {
        this.reading = null;
        reading.stop.abort();
        // A subscription that has not begun may wait long for an unavailable store.
        if (reading.position !== null) await reading.done;
      }
    }
  }

  private begin(): Reading {
    const made = { stop: new AbortController(), widened: new AbortController(), position: null };
    const reading: Reading = { ...made, done: Promise.resolve() };
    reading.done = this.read(reading);
    return reading;
  }

  private async read(reading: Reading): Promise<void> {
    const { signal } = reading.stop;
    await keepFollowing({ name: 'all of this process', signal }, async (onProgress) => {
      const { signal: widened } = (reading.widened = new AbortController());
      const categories = [...this.categories];
      const after = reading.position ?? (await this.endOf(categories));
      const ending = AbortSignal.any([signal, widened]);
      if (ending.aborted) return;
      if (reading.position === null) for (const follower of this.followers) follower.begin(after);
      reading.position = after;
      await this.readOn({ categories, after, signal: ending }, async (batch) => {
        // The events of an old filter are not all that a new follower must see before it.
        if (!ending.aborted) this.dispatch(reading, batch);
        onProgress();
      });
    });
  }

  private dispatch(reading: Reading, { events, upTo }: EventBatch): void {
    reading.position = Math.max(reading.position ?? 0, upTo);
    this.feed.publish(events);
    for (const follower of this.followers) follower.offer({ events, upTo: reading.position });
  }

  private async attend(follower: Follower, options: FollowingShared): Promise<void> {
    const { signal } = options;
    let passed = options.after;
    await keepFollowing(options, async (onProgress) => {
      const handle = async ({ events, upTo }: EventBatch): Promise<void> => {
        await options.onBatch({ events, upTo: Math.max(passed, upTo) });
        passed = Math.max(passed, upTo);
        onProgress();
      };
      while (!signal.aborted) {
        const batch = follower.take(passed);
        if (batch !== null) await handle(batch);
        else if (!follower.isBehind(passed)) await follower.news();
        else {
          await this.catchUp(follower, { after: passed, signal }, async (own) => {
            await handle(own);
            return follower.isBehind(passed);
          });
          // Its subscription ended by itself: the next one follows after a pause.
          if (follower.isBehind(passed)) return;
        }
      }
    });
  }

  /** Lets a follower read for itself, as long as `handle` returns true. */
  private async catchUp(
    follower: Follower,
    { after, signal }: Pick<Following, 'after' | 'signal'>,
    handle: (batch: EventBatch) => Promise<boolean>,
  ): Promise<void> {
    const done = new AbortController();
    const until = AbortSignal.any([signal, done.signal]);
    // All categories: it has to pass the last event of the shared subscription, whatever its category.
    await this.readOn({ categories: [...this.categories], after, signal: until }, async ({ events, upTo }) => {
      if (!(await handle({ events: follower.among(events), upTo }))) done.abort();
    });
  }

  private async readOn(place: Place, handle: (batch: EventBatch) => Promise<void>): Promise<void> {
    await asSubscription(this.client, () => readOn(this.client, place, handle));
  }
}
