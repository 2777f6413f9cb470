import { Logger } from '@nestjs/common';
import {
  START,
  streamNameFilter,
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
  type EventStoreDBClient,
  type ResolvedEvent,
  type StreamSubscription,
} from '@eventstore/db-client';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeStored, type StoredEvent } from './codec';

/** Events that wait in the process for a slow consumer; beyond it the subscription is paused. */
const waitingEventsMax = 2_000;
const backoffFirstMs = 50;
const backoffLastMs = 2_000;

const logger = new Logger('Subscriptions');

/** A run of events in the order of the store. `upTo` is the position (or revision) that is known to be passed with it. */
export interface EventBatch {
  readonly events: readonly StoredEvent[];
  readonly upTo: number;
}

interface Following {
  readonly signal: AbortSignal;
  /** Called with one batch at a time; a throw is logged and the same events come again after a pause. */
  onBatch(batch: EventBatch): Promise<void>;
}

/**
 * Follows all streams of the named categories, strictly after a position (0: from the beginning), until the signal aborts.
 * Resumes by itself, with backoff, after the last batch that was handled; delivers each event at least once and in order.
 * Where nothing of interest happens, empty batches tell how far the store has been looked through.
 */
export async function followCategories(
  client: EventStoreDBClient,
  options: Following & { readonly categories: readonly string[]; readonly after: number },
): Promise<void> {
  let passed = options.after;
  await keepFollowing(options.signal, async (onProgress) => {
    const open = (looked: (position: number) => void) =>
      client.subscribeToAll({
        fromPosition: passed === 0 ? START : { commit: BigInt(passed), prepare: BigInt(passed) },
        filter: streamNameFilter({
          prefixes: options.categories.map((category) => `${category}-`),
          checkpointInterval: 4,
          checkpointReached: (_, position) => looked(Number(position.commit)),
        }),
      });
    await pump(open, options.signal, async ({ events, upTo }) => {
      await options.onBatch({ events, upTo: Math.max(passed, upTo) });
      passed = Math.max(passed, upTo);
      onProgress();
    });
  });
}

/** Follows one stream strictly after a revision (-1: from the beginning); otherwise as `followCategories`, with `upTo` a revision. */
export async function followStream(
  client: EventStoreDBClient,
  options: Following & { readonly stream: string; readonly afterRevision: number },
): Promise<void> {
  let passed = options.afterRevision;
  await keepFollowing(options.signal, async (onProgress) => {
    const open = () =>
      client.subscribeToStream(options.stream, { fromRevision: passed === -1 ? START : BigInt(passed) });
    await pump(open, options.signal, async ({ events }) => {
      const last = events.at(-1);
      if (last === undefined) return;
      await options.onBatch({ events, upTo: last.revision });
      passed = last.revision;
      onProgress();
    });
  });
}

/** Runs one subscription after the other until the signal aborts; progress makes the next pause short again. */
async function keepFollowing(signal: AbortSignal, follow: (onProgress: () => void) => Promise<void>): Promise<void> {
  let pauseMs = backoffFirstMs;
  while (!signal.aborted) {
    try {
      await follow(() => (pauseMs = backoffFirstMs));
    } catch (error) {
      if (signal.aborted) return;
      logger.warn(`a subscription broke and is opened again: ${error instanceof Error ? error.message : 'unknown'}`);
    }
    // An abort in the pause ends the loop at once; the rejection carries nothing else.
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 2, backoffLastMs);
  }
}

type Subscription = AllStreamSubscription | StreamSubscription;

/** Carries one subscription's events to the handler in batches, pausing the subscription while the handler is behind. */
async function pump(
  open: (looked: (position: number) => void) => Subscription,
  signal: AbortSignal,
  handle: (batch: EventBatch) => Promise<void>,
): Promise<void> {
  let waiting: StoredEvent[] = [];
  let lookedUpTo = 0;
  let failure: unknown;
  let ended = false;
  let wake = (): void => undefined;
  const subscription = open((position) => {
    lookedUpTo = position;
    wake();
  });
  subscription.on('error', (error: unknown) => {
    failure = error;
    wake();
  });
  subscription.on('end', () => {
    ended = true;
    wake();
  });
  subscription.on('data', (resolved: ResolvedEvent | AllStreamResolvedEvent) => {
    if (resolved.event) waiting.push(decodeStored(resolved.event));
    if (waiting.length >= waitingEventsMax) subscription.pause();
    wake();
  });
  const stop = () => wake();
  signal.addEventListener('abort', stop);
  try {
    while (!signal.aborted && failure === undefined) {
      const events = waiting;
      waiting = [];
      // What was looked through counts only when no event before it is still on its way to us.
      const upTo = subscription.readableLength === 0 ? lookedUpTo : 0;
      const reached = Math.max(upTo, events.at(-1)?.position ?? 0);
      lookedUpTo = upTo === 0 ? lookedUpTo : 0;
      if (events.length > 0 || reached > 0) await handle({ events, upTo: reached });
      if (subscription.isPaused()) subscription.resume();
      if (waiting.length > 0 || failure !== undefined || signal.aborted) continue;
      if (ended) return;
      await new Promise<void>((resolve) => (wake = resolve));
    }
    if (failure !== undefined) throw failure;
  } finally {
    signal.removeEventListener('abort', stop);
    await subscription.unsubscribe().catch(() => undefined); // it is broken or being left; there is nothing to undo
    subscription.destroy();
  }
}
