// Observes runs begin or end, whoever started them, at the lowest cost to the store: by one kind of event.
import { END, eventTypeFilter } from '@eventstore/db-client';
import { setTimeout as sleep } from 'node:timers/promises';

const seenWithinMs = 120_000;
const pollMs = 10;
/** The windows of other events after which the store reports its position, which is not needed here: a large number. */
const checkpointInterval = 1_000;

/** The waits for runs by id, and the ids that arrived before anything waited for them. */
export function arrivals() {
  const seen = new Set();
  const waiting = new Map();
  let lastAtMs = 0;
  return {
    arrived: (id) => {
      seen.add(id);
      lastAtMs = Date.now();
      waiting.get(id)?.();
      waiting.delete(id);
    },
    of: (id) => (seen.has(id) ? Promise.resolve() : new Promise((resolve) => waiting.set(id, resolve))),
    /** The time of the last arrival, once `count` have arrived. */
    async untilSeen(count) {
      const deadline = Date.now() + seenWithinMs;
      while (seen.size < count) {
        if (Date.now() > deadline) throw new Error(`only ${seen.size} of ${count} runs were seen`);
        await sleep(pollMs);
      }
      return lastAtMs;
    },
  };
}

/** Observes the given event (`run.started`, `run.ended`) of all runs from now on. */
export async function watchRuns(client, type) {
  const runs = arrivals();
  const filter = eventTypeFilter({ prefixes: [type], checkpointInterval });
  const subscription = client.subscribeToAll({ fromPosition: END, filter });
  subscription.on('data', ({ event }) => {
    if (event?.type === type) runs.arrived(event.data.runId);
  });
  await new Promise((resolve, reject) => {
    subscription.once('confirmation', resolve);
    subscription.once('error', reject);
  });
  return { ...runs, close: () => subscription.unsubscribe() };
}
