import type { EventData } from '@eventstore/db-client';
import { Unavailable } from '@app/kernel';
import { Client } from 'pg';
import { v7 as uuidV7 } from 'uuid';
import { counted, counterKind, someCause } from '@app/testing/deciders';
import { EmbeddedStore, impatient, type LossyProxy } from '@app/testing/event-store';
import { until } from '@app/testing/until';
import { encodeEvent, type EventStore } from '../src';

/** How often everything breaks, and how many appends are acknowledged before the next time. */
const BREAKS = 10;
const APPENDS_BETWEEN = 40;
const WRITERS_OF_EACH = 4;
const ATTEMPTS_MAX = 100;

let embedded: EmbeddedStore;
let proxies: LossyProxy[];
/** Several clients of one process, each with a connection of its own. */
let stores: EventStore[];
beforeAll(async () => {
  embedded = await EmbeddedStore.start();
  proxies = [await embedded.proxy(), await embedded.proxy()];
  stores = proxies.map((proxy) => embedded.connect({ proxy, limits: impatient }));
});
afterAll(() => embedded.stop());

/** Appends one event after the other to a stream of its own; an append that is not acknowledged is repeated unchanged. */
class Writer {
  readonly stream = `counter-${uuidV7()}`;
  readonly acknowledged: { id: string; revision: number; position: number }[] = [];

  constructor(private readonly store: EventStore) {}

  async write(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const event = encodeEvent(counterKind, counted(this.acknowledged.length), someCause());
      const { revision, position } = await this.acknowledgedAppend(event);
      this.acknowledged.push({ id: event.id, revision, position });
    }
  }

  private async acknowledgedAppend(event: EventData) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const appended = await this.store.append(this.stream, [event], this.acknowledged.length - 1);
        if (appended.kind === 'conflict') throw new Error(`${this.stream} has what nobody else appends`);
        return appended;
      } catch (error) {
        if (!(error instanceof Unavailable) || attempt === ATTEMPTS_MAX) throw error;
      }
    }
  }
}

async function endSessions(): Promise<void> {
  const admin = new Client({ connectionString: embedded.database.url });
  await admin.connect();
  const ended = await admin.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'parley event store%'`,
  );
  expect(ended.rowCount).toBeGreaterThan(0);
  await admin.end();
}

/** An error thrown outside of every promise, or an unhandled rejection, fails the test by itself. */
it.each([
  ["the store's sessions with PostgreSQL are ended", endSessions],
  ['one client after the other loses its connection', async (round: number) => proxies[round % 2]?.cut()],
])('under load %s: each append is acknowledged once, or unavailable', async (_, breakThem) => {
  const writers = stores.flatMap((store) => Array.from({ length: WRITERS_OF_EACH }, () => new Writer(store)));
  const acknowledged = () => writers.reduce((sum, writer) => sum + writer.acknowledged.length, 0);
  let over = false;
  const writing = Promise.all(writers.map((writer) => writer.write(() => over)));
  try {
    for (let round = 0; round < BREAKS; round += 1) {
      const enough = acknowledged() + APPENDS_BETWEEN;
      const next = until('the next appends', async () => (acknowledged() >= enough ? true : null));
      await Promise.race([next, writing]);
      await breakThem(round);
    }
  } finally {
    over = true;
  }
  await writing;
  for (const { stream, acknowledged: told } of writers) {
    const stored = await stores[0]!.readStream(stream, 0, 10_000);
    expect(stored.map(({ id, revision, position }) => ({ id, revision, position }))).toEqual(told);
  }
});
