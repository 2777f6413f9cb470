import { randomUUID } from 'node:crypto';
import { END, NO_STREAM, streamNameFilter } from '@eventstore/db-client';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { created, renamed } from '../conversations.mjs';
import { cpuSeconds } from '../cpu.mjs';
import { stop } from '../processes.mjs';

const inFlight = 64;
/** Each conversation is created and then renamed three times. */
const eventsPerStream = 4;
const passedWithinMs = 120_000;
const lookAgainMs = 5;
const silentForMs = 7_000;

/**
 * New conversations, appended as fast as the store takes them, until the read models have passed the last one's events.
 * The baseline is a raw subscription to as many events of streams without a read model. The lag is the time from the
 * end of the appends until the last event is passed.
 */
export const projections = {
  number: 18,
  name: 'events projected, live, as fast as they are appended (one partition)',
  against: 'a raw subscription',
  figures: [
    { key: 'perSecond', unit: 'events/s', better: 'more', aim: 0.6, floor: 0.3 },
    { key: 'lagMs', unit: 'ms', better: 'less', absolute: true, aim: 250, floor: 1_000 },
  ],

  async open({ client, stores }, { burstEvents }) {
    const listener = await listen(stores.DATABASE_URL);
    return {
      ours: () => burst(client, 'conversation', burstEvents, listener),
      baseline: async () => {
        const category = `benchmark${randomUUID().replaceAll('-', '')}`;
        const follower = follow(client, category);
        return burst(client, category, burstEvents, follower).finally(() => follower.close());
      },
      close: () => listener.close(),
    };
  },
};

/**
 * A backlog that was appended while nothing projected, processed by `partitions` workers with one partition each,
 * against one worker with a single partition. Measured from when each worker holds its share until everything is
 * passed; each worker reads all events, and folds and writes those of its partition.
 */
const caughtUpBy = (partitions) => ({
  number: 18,
  name: `events projected from a backlog (${partitions} partitions, as many workers)`,
  against: 'one worker, one partition',
  figures: [
    { key: 'perSecond', unit: 'events/s', better: 'more' },
    { key: 'busiestCpuUs', unit: "µs of the busiest worker's CPU", better: 'less' },
  ],

  async open(deployment, { backlogEvents }) {
    const listener = await listen(deployment.stores.DATABASE_URL);
    // The serving process projects too. Stopped for longer than a leader may be silent, it loses that role.
    process.kill(deployment.child.pid, 'SIGSTOP');
    await sleep(silentForMs);
    return {
      ours: () => catchUp(deployment, listener, backlogEvents, partitions),
      baseline: () => catchUp(deployment, listener, backlogEvents, 1),
      close: async () => {
        process.kill(deployment.child.pid, 'SIGCONT');
        await listener.close();
      },
    };
  },
});

export const caughtUpByTwo = caughtUpBy(2);
export const caughtUpByFour = caughtUpBy(4);

async function catchUp({ client, startWorker }, listener, events, partitions) {
  const last = await appendAll(client, 'conversation', events);
  listener.forget();
  const starting = Array.from({ length: partitions }, () => startWorker({ PROJECTION_PARTITIONS: String(partitions) }));
  const workers = await Promise.all(starting);
  const pids = Object.fromEntries(workers.map(({ pid }) => [pid, pid]));
  const shared = await listener.shared(partitions);
  const [startedMs, cpuBefore] = [performance.now(), cpuSeconds(pids)];
  await listener.passed(last);
  const [passedMs, cpuAfter] = [performance.now(), cpuSeconds(pids)];
  for (const worker of workers) await stop(worker);
  const projected = last - shared;
  if (projected < events / 4) throw new Error('too little was left when the workers had shared the partitions out');
  const busiestSeconds = Math.max(...Object.keys(pids).map((pid) => cpuAfter[pid] - cpuBefore[pid]));
  return {
    perSecond: (projected * 1000) / (passedMs - startedMs),
    busiestCpuUs: (busiestSeconds * 1_000_000) / projected,
  };
}

/** Appends `events` events, and waits until they have been passed. */
async function burst(client, category, events, follower) {
  const startedMs = performance.now();
  const last = await appendAll(client, category, events);
  const appendedMs = performance.now();
  await follower.passed(last);
  const passedMs = performance.now();
  return { perSecond: (events * 1000) / (passedMs - startedMs), lagMs: Math.max(passedMs - appendedMs, 0.1) };
}

/** Returns the position of the last event. */
async function appendAll(client, category, events) {
  let streams = Math.ceil(events / eventsPerStream);
  let last = 0;
  const lane = async () => {
    while (streams-- > 0) last = Math.max(last, await appendStream(client, `${category}-${randomUUID()}`));
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return last;
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

/**
 * Follows the positions of the read models as the product's other processes do, by notifications
 * `<program>:<position>:<partitions>:<the partitions they concern>`.
 */
async function listen(connectionString) {
  const connection = new pg.Client({ connectionString });
  await connection.connect();
  const waiter = newWaiter();
  const heard = new Map();
  const alone = new Set();
  let count = 0;
  const forget = () => {
    heard.clear();
    alone.clear();
  };
  connection.on('notification', ({ payload }) => {
    const [, position, partitions, held] = payload.split(':');
    if (Number(partitions) !== count) forget();
    count = Number(partitions);
    if (!held.includes(',')) alone.add(held);
    for (const partition of held.split(',')) heard.set(partition, Number(position));
    if (heard.size === count) waiter.note(Math.min(...heard.values()));
  });
  await connection.query('LISTEN parley_read_models');
  return {
    forget,
    passed: (position) => waiter.passed(position),
    /**
     * Resolves once each partition was reported by a projector that holds it alone, with the position that all have
     * passed.
     */
    async shared(partitions) {
      while (!(count === partitions && alone.size === partitions)) await sleep(lookAgainMs);
      return Math.min(...heard.values());
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
