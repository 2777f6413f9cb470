import { hash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { NO_STREAM } from '@eventstore/db-client';
import pg from 'pg';
import { created, renamed } from '../conversations.mjs';
import { cpuFigure, cpuMeter } from '../cpu.mjs';
import { httpLoad, jsonBody } from '../http-load.mjs';
import { EventStore, leaderLocks } from '../product.mjs';

const inFlight = 64;
const eventsPerStream = 4;
const pageEvents = 1_000;
const lookAgainMs = 5;
const builtWithinMs = 300_000;
const connections = 50;
const usersCount = 10;

/**
 * The log of all events, built again from the first event, as a worker does after an upgrade to the first version with
 * a log.
 */
const buildingAgainst = (against, baselineOf, bounds = {}) => ({
  number: 20,
  name: 'events hashed into the log of all events, from the first one',
  against,
  figures: [{ key: 'perSecond', unit: 'events/s', better: 'more', ...bounds }],

  async open({ client, stores }, { loggedEvents }) {
    await fill(client, loggedEvents);
    const builder = await Builder.of(stores.DATABASE_URL);
    const store = EventStore.connect(stores.EVENTSTORE_URL);
    const size = await builder.untilBuilt(loggedEvents);
    return {
      ours: () => builder.buildAgain(size),
      baseline: await baselineOf(store),
      close: async () => {
        await store.dispose();
        await builder.close();
      },
    };
  },
});

export const logFromZero = buildingAgainst(
  'reading the same events and hashing them, alone',
  (store) => () => timed(() => eachPage(store, hashAll)),
  { aim: 0.5, floor: 0.35 },
);

export const logAgainstHashing = buildingAgainst('plain SHA-256 over the same bytes, in memory', async (store) => {
  const pages = [];
  await eachPage(store, (events) => pages.push(events.map(({ data, metadata }) => ({ data, metadata }))));
  return () =>
    timed(() => {
      pages.forEach(hashAll);
      return pages.reduce((count, { length }) => count + length, 0);
    });
});

/** The cost of the log for writers: `conversations.create` while the log is built, against the same while it is not. */
export const logBesideWrites = {
  number: 21,
  name: `conversations.create, ${connections} in flight, while the log of all events is built`,
  against: 'the same while nobody builds it',
  figures: [
    { key: 'rate', unit: 'requests/s', better: 'more', aim: 0.97, floor: 0.94 },
    cpuFigure('CPU of a conversations.create while the log of all events is built'),
  ],

  async open(deployment, { seconds }) {
    const names = Array.from({ length: usersCount }, (_, number) => `logged-${number}`);
    const users = await Promise.all(names.map((name) => deployment.newUser(name)));
    const requests = users.map(({ url, headers }) => {
      const { body, headers: type } = jsonBody({ title: 'Quarterly report for the board' });
      return { method: 'POST', path: `${new URL(url).pathname}/conversations`, headers: { ...headers, ...type }, body };
    });
    const builder = await Builder.of(deployment.stores.DATABASE_URL);
    const turn = async () => {
      const cpu = await cpuMeter(deployment.processes);
      const { rate, answered } = await httpLoad({ url: deployment.baseUrl, requests, connections, seconds });
      return { rate, ...(await cpu.perOperation(answered)) };
    };
    return {
      ours: async () => {
        await builder.untilNothingIsLeft();
        return turn();
      },
      baseline: () => builder.without(turn),
      close: () => builder.close(),
    };
  },
};

/** The process that builds the log, as the database shows it. */
class Builder {
  constructor(database, connectionString) {
    Object.assign(this, { database, connectionString });
  }

  static async of(connectionString) {
    const database = new pg.Client({ connectionString });
    await database.connect();
    return new Builder(database, connectionString);
  }

  async size() {
    const { rows } = await this.database.query('SELECT size::int FROM transparency_log');
    return rows[0].size;
  }

  /** Returns the size at which the log stops growing, which is at least `least`. */
  async untilBuilt(least) {
    const deadlineMs = performance.now() + builtWithinMs;
    for (let size = -1; ;) {
      const now = await this.size();
      if (now >= least && now === size) return size;
      if (performance.now() > deadlineMs) throw new Error(`the log has ${now} events`);
      size = now;
      await sleep(2_000);
    }
  }

  async untilNothingIsLeft() {
    await this.untilBuilt(0);
  }

  /** Runs `body` while this connection holds the builder's leader lock, so that no process builds the log. */
  async without(body) {
    const taken = this.database.query('SELECT pg_advisory_lock($1)', [leaderLocks.transparency]);
    const other = new pg.Client({ connectionString: this.connectionString });
    await other.connect();
    await other.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks
       WHERE locktype = 'advisory' AND granted AND ((classid::bigint << 32) | objid::bigint) = $1 AND pid <> $2`,
      [leaderLocks.transparency, this.database.processID],
    );
    await taken;
    await other.end();
    try {
      return await body();
    } finally {
      await this.database.query('SELECT pg_advisory_unlock($1)', [leaderLocks.transparency]);
    }
  }

  /** Empties the log, lets it be built again up to `size`, and returns the rate. */
  async buildAgain(size) {
    await this.without(async () => {
      await this.database.query('TRUNCATE transparency_leaves, transparency_tiles');
      await this.database.query('UPDATE transparency_log SET size = 0, position = 0');
    });
    const deadlineMs = performance.now() + builtWithinMs;
    let [first, startedMs] = [0, 0];
    for (;;) {
      const now = await this.size();
      if (first === 0 && now > 0) [first, startedMs] = [now, performance.now()];
      if (now >= size) return { perSecond: ((now - first) * 1000) / (performance.now() - startedMs) };
      if (performance.now() > deadlineMs) throw new Error(`the log has ${now} events`);
      await sleep(lookAgainMs);
    }
  }

  async close() {
    await this.database.end();
  }
}

async function fill(client, events) {
  let streams = Math.ceil(events / eventsPerStream);
  const lane = async () => {
    while (streams-- > 0) {
      const others = Array.from({ length: eventsPerStream - 1 }, (_, n) => renamed(n + 1));
      const expected = { expectedRevision: NO_STREAM };
      await client.appendToStream(`conversation-${randomUUID()}`, [created(), ...others], expected);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}

/** Reads all events page by page. Returns their number. */
async function eachPage(store, take) {
  let [position, count] = [0, 0];
  for (;;) {
    const events = await store.readAllRaw(position, pageEvents);
    take(events);
    count += events.length;
    if (events.length < pageEvents) return count;
    position = events.at(-1).position;
  }
}

function hashAll(events) {
  for (const { data, metadata } of events) {
    hash('sha256', data, 'buffer');
    hash('sha256', metadata, 'buffer');
  }
}

async function timed(work) {
  const startedMs = performance.now();
  const events = await work();
  return { perSecond: (events * 1000) / (performance.now() - startedMs) };
}
