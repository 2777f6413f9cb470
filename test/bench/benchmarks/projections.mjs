import { randomUUID } from 'node:crypto';
import { END, NO_STREAM, streamNameFilter } from '@eventstore/db-client';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { created, renamed } from '../conversations.mjs';
import { stop } from '../processes.mjs';

const inFlight = 64;
/** Of each conversation: it is made, and then renamed. */
const eventsPerStream = 4;
const passedWithinMs = 120_000;
const lookAgainMs = 50;

/**
 * New conversations, appended as fast as the store takes them, until the read models have passed the last one's events; against a raw
 * subscription that is brought as many events of streams that nothing is projected from. The lag is what is left to do at the end of
 * the appends. With more partitions than one, as many workers share them.
 */
const projectedBy = (partitions) => ({
  number: 18,
  name: `events projected, live, as fast as they are appended (${partitions === 1 ? 'one partition' : `${partitions} partitions, as many workers`})`,
  against: 'a raw subscription',
  figures: [
    { key: 'perSecond', unit: 'events/s', better: 'more', aim: 0.6, floor: 0.3 },
    { key: 'lagMs', unit: 'ms', better: 'less', absolute: true, aim: 250, floor: 1_000 },
  ],

  async open(deployment, { burstEvents }) {
    const { client, stores } = deployment;
    const workers = await shareBy(deployment, partitions);
    const listener = await listen(stores.DATABASE_URL);
    await listener.shared(partitions);
    return {
      ours: () => burst(client, 'conversation', burstEvents, listener),
      baseline: async () => {
        const category = `benchmark${randomUUID().replaceAll('-', '')}`;
        const follower = follow(client, category);
        return burst(client, category, burstEvents, follower).finally(() => follower.close());
      },
      close: async () => {
        for (const worker of workers) await stop(worker);
        // Those that go on without them have one partition again, as the worker that started last has it.
        if (partitions > 1) await stop(await deployment.startWorker({ PROJECTION_PARTITIONS: '1' }));
        await listener.close();
      },
    };
  },
});

export const projections = projectedBy(1);
export const projectionsByTwo = projectedBy(2);
export const projectionsByFour = projectedBy(4);

/** Workers beside the one that is there, as many as there are partitions then. */
async function shareBy(deployment, partitions) {
  const workers = [];
  for (let n = 1; n < partitions; n += 1)
    workers.push(await deployment.startWorker({ PROJECTION_PARTITIONS: String(partitions) }));
  return workers;
}

/** Appends so many events, and waits until they have been passed. */
async function burst(client, category, events, follower) {
  const startedMs = performance.now();
  let streams = Math.ceil(events / eventsPerStream);
  let last = 0;
  const lane = async () => {
    while (streams-- > 0) last = Math.max(last, await appendStream(client, `${category}-${randomUUID()}`));
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const appendedMs = performance.now();
  await follower.passed(last);
  const passedMs = performance.now();
  return { perSecond: (events * 1000) / (passedMs - startedMs), lagMs: Math.max(passedMs - appendedMs, 0.1) };
}

async function appendStream(client, stream) {
  let position = 0;
  for (let n = 0; n < eventsPerStream; n += 1) {
    const expectedRevision = n === 0 ? NO_STREAM : BigInt(n - 1);
    const appended = await client.appendToStream(stream, n === 0 ? created() : renamed(n), { expectedRevision });
    position = Number(appended.position?.commit ?? 0);
  }
  return position;
}

/** Hears how far the read models are, as the product's other processes do: `<program>:<position>:<partitions>:<those that are meant>`. */
async function listen(connectionString) {
  const connection = new pg.Client({ connectionString });
  await connection.connect();
  const waiter = newWaiter();
  const heard = new Map();
  let speakers = new Set();
  let count = 0;
  connection.on('notification', ({ payload }) => {
    const [, position, partitions, held] = payload.split(':');
    if (Number(partitions) !== count) {
      heard.clear();
      speakers = new Set();
      count = Number(partitions);
    }
    speakers.add(held);
    for (const partition of held.split(','))
      heard.set(partition, Math.max(heard.get(partition) ?? 0, Number(position)));
    if (heard.size === count) waiter.note(Math.min(...heard.values()));
  });
  await connection.query('LISTEN parley_read_models');
  return {
    passed: (position) => waiter.passed(position),
    /** Resolves when each partition is one projector's alone. */
    async shared(partitions) {
      const isShared = () => [...speakers].filter((held) => !held.includes(',')).length === partitions;
      while (!(count === partitions && isShared())) await sleep(lookAgainMs);
    },
    close: () => connection.end(),
  };
}

function follow(client, category) {
  const waiter = newWaiter();
  const subscription = client.subscribeToAll({
    fromPosition: END,
    filter: streamNameFilter({ prefixes: [`${category}-`] }),
  });
  subscription.on('data', ({ event }) => event && waiter.note(Number(event.position.commit)));
  return { passed: (position) => waiter.passed(position), close: () => subscription.unsubscribe() };
}

/** Waits for a position to be passed. */
function newWaiter() {
  let heard = 0;
  let wake = () => undefined;
  return {
    note(position) {
      heard = Math.max(heard, position);
      wake();
    },
    async passed(position) {
      let isLate = false;
      const patience = setTimeout(() => {
        isLate = true;
        wake();
      }, passedWithinMs);
      while (heard < position && !isLate) await new Promise((resolve) => (wake = resolve));
      clearTimeout(patience);
      if (isLate) throw new Error(`position ${position} was not passed in ${passedWithinMs} ms`);
    },
  };
}
