import { Logger } from '@nestjs/common';
import { TimeoutError, type EventStoreDBClient } from '@eventstore/db-client';
import { TookTooLong, failureWords } from '@app/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventFeed } from '../events/event-feed';
import { Intake } from './intake';
import { asSubscription } from '../calls/open-calls';
import { ReadCall } from '../calls/read-call';
import { subscriptionTo } from '@app/event-store-wire';
import { isTransient } from '../calls/transient-errors';
import type { EventBatch } from '../events/codec';

const backoffFirstMs = 50;
const backoffLastMs = 2_000;
/** Failures in a row; with the pauses in between, this takes some seconds. */
const stuckAfterFailures = 6;
/** The server reports how far it has searched after this many search windows. */
const checkpointInterval = 4;

const logger = new Logger('Subscriptions');

export interface Following {
  /** Name of the follower, for the log. */
  readonly name?: string;
  readonly categories: readonly string[];
  /** The position to begin after; 0: from the beginning. */
  readonly after: number;
  readonly signal: AbortSignal;
  /** Publishes the events as they arrive, before they are handled. */
  readonly feed?: EventFeed;
  /** Called with one batch at a time; a throw is logged and the same events are delivered again after a pause. */
  onBatch(batch: EventBatch): Promise<void>;
  /** Called when it has repeatedly made no progress although the stores answer, and when that is over. */
  readonly onStuck?: (isStuck: boolean) => void;
}

/**
 * Follows all streams of the named categories, strictly after a position (0: from the beginning), until the signal aborts.
 * Resumes by itself, with backoff, after the last batch that was handled; delivers each event at least once and in order.
 * When no event matches, empty batches may report how far the store has been read; a server need not send them.
 * Throws at once when the client has 80 subscriptions already.
 */
export async function followCategories(client: EventStoreDBClient, options: Following): Promise<void> {
  await asSubscription(client, () => follow(client, options));
}

async function follow(client: EventStoreDBClient, options: Following): Promise<void> {
  let passed = options.after;
  await keepFollowing(options, async (onProgress) => {
    await readOn(client, { ...options, after: passed }, async ({ events, upTo }) => {
      options.feed?.publish(events);
      await options.onBatch({ events, upTo: Math.max(passed, upTo) });
      passed = Math.max(passed, upTo);
      onProgress();
    });
  });
}

/**
 * Passes on the events after a position, batch by batch, until the subscription ends or the signal aborts. Throws when the subscription or
 * the handler fails.
 */
export async function readOn(
  client: EventStoreDBClient,
  { categories, after, signal }: Pick<Following, 'categories' | 'after' | 'signal'>,
  handle: (batch: EventBatch) => Promise<void>,
): Promise<void> {
  const request = subscriptionTo(categories, after, checkpointInterval);
  const intake = new Intake((reader) => new ReadCall(client, request, reader), signal);
  await drain(intake, handle);
}

/** The subscription itself failed, as opposed to its handler. */
class Broken extends Error {
  constructor(override readonly cause: unknown) {
    super(String(cause));
  }

  /** The server has more live events than it keeps for one subscriber; it reports this after any append of hundreds of events. */
  get isTooSlow(): boolean {
    return this.cause instanceof TimeoutError && this.cause.message.includes('resubscription required');
  }
}

/** Runs one attempt to follow after the other until the signal aborts; progress makes the next pause short again. */
export async function keepFollowing(
  { name = 'a reader', signal, onStuck = () => undefined }: Pick<Following, 'name' | 'signal' | 'onStuck'>,
  follow: (onProgress: () => void) => Promise<void>,
): Promise<void> {
  let pauseMs = backoffFirstMs;
  let failures = 0;
  const progress = (): void => {
    pauseMs = backoffFirstMs;
    if (failures >= stuckAfterFailures) onStuck(false);
    failures = 0;
  };
  while (!signal.aborted) {
    let atOnce = false;
    try {
      await follow(progress);
    } catch (error) {
      if (signal.aborted) break;
      tell(name, error);
      if (!isAway(error)) failures += 1;
      if (failures === stuckAfterFailures) onStuck(true);
      // It also pauses if there was no progress since the last time.
      atOnce = error instanceof Broken && error.isTooSlow && pauseMs === backoffFirstMs;
    }
    if (!atOnce) await sleep(pauseMs, undefined, { signal }).catch(() => undefined); // aborted: the loop ends
    pauseMs = Math.min(pauseMs * 2, backoffLastMs);
  }
  // The next follower reports its own failures.
  progress();
}

/**
 * Whether a store did not answer. A store that ends the handler's statement each time because it takes too long did answer, as did one that
 * refuses to read from our position, for example after an older backup was restored.
 */
function isAway(error: unknown): boolean {
  const cause = error instanceof Broken ? error.cause : error;
  return isTransient(cause) && !(cause instanceof TookTooLong);
}

/** Logs a failure. Reopening a subscription is normal; a failing handler, or a server that refuses us, is not. */
function tell(name: string, error: unknown): void {
  if (error instanceof Broken && isTransient(error.cause)) logger.debug(`${name} subscribes again: ${error.message}`);
  else logger.warn(`following the event store failed, and is tried again by ${name}: ${failureWords(error)}`);
}

/** Passes batch after batch to the handler, until the subscription ends or either of them fails. */
async function drain(intake: Intake, handle: (batch: EventBatch) => Promise<void>): Promise<void> {
  const next = async (): Promise<EventBatch | null> =>
    intake.next().catch((error: unknown) => {
      throw new Broken(error);
    });
  try {
    for (let batch = await next(); batch !== null; batch = await next()) await handle(batch);
  } finally {
    intake.close();
  }
}
