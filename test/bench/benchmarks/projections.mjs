import { randomUUID } from 'node:crypto';
import { END, NO_STREAM, streamNameFilter } from '@eventstore/db-client';
import pg from 'pg';
import { created, renamed } from '../conversations.mjs';

const inFlight = 64;
/** Of each conversation: it is made, and then renamed. */
const eventsPerStream = 4;
const passedWithinMs = 120_000;

/**
 * New conversations, appended as fast as the store takes them, until the read models have passed the last one's events; against a raw
 * subscription that is brought as many events of streams that nothing is projected from. The lag is what is left to do at the end of
 * the appends.
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

/** Hears how far the read models are, as the product's other processes do. */
async function listen(connectionString) {
  const connection = new pg.Client({ connectionString });
  await connection.connect();
  const waiter = newWaiter();
  connection.on('notification', ({ payload }) => waiter.note(Number(payload.split(':')[1])));
  await connection.query('LISTEN parley_read_models');
  return { passed: (position) => waiter.passed(position), close: () => connection.end() };
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
