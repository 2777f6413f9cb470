import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeEvent, FoldedStates } from '@app/event-store';
import { v7 as uuidV7 } from 'uuid';
import { counted, counterKind, someCause } from '@app/testing/deciders';
import { EmbeddedStore, until } from '@app/testing/event-store';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { Notifications, Processes, type Database } from '../src';
import { PostgresSnapshots } from '../src/postgres-snapshots';
import { keyRingOf } from './key-ring-of';
import { openTallies } from './tally';

let test: TestDatabase;
let database: Database;
beforeAll(async () => {
  Logger.overrideLogger(false);
  test = await createTestDatabase();
  database = await openTallies(test.url);
});
afterAll(async () => {
  await database.close();
  await test.drop();
  Logger.overrideLogger(true);
});

describe('snapshots', () => {
  const snapshots = () => new PostgresSnapshots(database, keyRingOf(database));
  const kept = async (stream: string) =>
    (
      await database.query<{ version: number; revision: number }>(
        'SELECT version, revision FROM snapshots WHERE stream = $1',
        [stream],
      )
    )[0];

  it('come back as they were, the order of members included', async () => {
    const stream = `counter-${uuidV7()}`;
    const state = { zulu: 1, alpha: [1.5, null, 'ß'], of: { b2: true, a: {} }, '10': 1e21 };
    const store = snapshots();
    store.saveLater({ stream, version: 1, revision: 7, state });
    await until(async () => (await kept(stream)) !== undefined);
    const loaded = await store.load(stream, 1);
    expect(loaded).toEqual({ stream, version: 1, revision: 7, state });
    expect(JSON.stringify(loaded?.state)).toBe(JSON.stringify(state));
    expect([await store.load(stream, 2), await store.load('counter-none', 1)]).toEqual([null, null]);
  });

  it('of an older revision do not replace newer ones; those of another version do', async () => {
    const stream = `counter-${uuidV7()}`;
    const save = async (version: number, revision: number) => {
      const store = snapshots();
      store.saveLater({ stream, version, revision, state: {} });
      const after = `counter-${uuidV7()}`;
      store.saveLater({ stream: after, version: 1, revision: 0, state: {} });
      await until(async () => (await kept(after)) !== undefined);
    };
    await save(1, 500);
    await save(1, 400);
    expect(await kept(stream)).toEqual({ version: 1, revision: 500 });
    await save(2, 450);
    expect(await kept(stream)).toEqual({ version: 2, revision: 450 });
  });

  it('wait for the database 200 at most, the newest; the latest of a stream replaces the one that waits', async () => {
    const store = snapshots();
    const prefix = uuidV7();
    const save = (n: number, revision = 0) =>
      store.saveLater({ stream: `${prefix}-${n}`, version: 1, revision, state: {} });
    for (let n = 0; n < 300; n += 1) save(n);
    save(299, 9);
    await until(async () => (await kept(`${prefix}-299`)) !== undefined);
    const rows = await database.query<{ n: number; revision: number }>(
      `SELECT split_part(stream, '-', 6)::int AS n, revision FROM snapshots WHERE stream LIKE $1 ORDER BY n`,
      [`${prefix}-%`],
    );
    // The first snapshot was being written while the others arrived.
    expect(rows.map(({ n }) => n)).toEqual([0, ...Array.from({ length: 200 }, (_, index) => index + 100)]);
    expect(rows.at(-1)).toEqual({ n: 299, revision: 9 });
  });

  it('shorten the fold of a long stream, also in another process', async () => {
    const embedded = await EmbeddedStore.start();
    const [store, id] = [embedded.connect(), uuidV7()];
    const stream = `counter-${id}`;
    const append = (first: number, count: number) =>
      store.append(
        stream,
        Array.from({ length: count }, (_, n) => encodeEvent(counterKind, counted(first + n), someCause())),
        first - 1,
      );
    await append(0, 510);
    const whole = await new FoldedStates(store, snapshots()).fresh(counterKind, id);
    await until(async () => (await kept(stream)) !== undefined);
    await append(510, 3);
    const reads = jest.spyOn(store, 'readStream');
    const folded = await new FoldedStates(store, snapshots()).fresh(counterKind, id);
    // The first event is read as well: no snapshot hides that a stream was cut.
    expect(reads.mock.calls.map(([, from, count]) => [from, count === 1])).toEqual([
      [0, true],
      [510, false],
    ]);
    expect(folded.state.counted).toEqual([...whole.state.counted, 510, 511, 512]);
    await embedded.stop();
  });
});

describe('processes', () => {
  const rows = () =>
    database.query<{ id: string; worker: boolean; heard: number }>(
      'SELECT id, worker, extract(epoch FROM heartbeat_at)::float8 AS heard FROM processes ORDER BY id',
    );

  it('keep a row each while they live, and take it with them', async () => {
    const [api, worker] = [
      new Processes(database, { api: true, worker: false }),
      new Processes(database, { api: false, worker: true }),
    ];
    await api.start();
    expect(await api.workerAlive()).toBe(false);
    await worker.start();
    expect(await api.workerAlive()).toBe(true);
    const before = await rows();
    expect(before.map(({ id }) => id)).toEqual([api.id, worker.id].sort());
    await until(async () => (await rows()).every(({ heard }, index) => heard > (before[index]?.heard ?? 0)));
    await Promise.all([api.stop(), worker.stop()]);
    expect(await rows()).toEqual([]);
  });

  it('that fall silent count no more after 15 s, and are forgotten after an hour', async () => {
    const insert = `INSERT INTO processes (id, api, worker, heartbeat_at) VALUES ($1, true, true, now() - $2::interval)`;
    const present = new Processes(database, { api: true, worker: false });
    await database.query(insert, [uuidV7(), '16 seconds']);
    await database.query(insert, [uuidV7(), '61 minutes']);
    await present.start();
    expect([await present.workerAlive(), (await rows()).length]).toEqual([false, 2]);
    await database.query(insert, [uuidV7(), '13 seconds']);
    expect(await present.workerAlive()).toBe(true);
    // Cached for a second, so that it is gone after 15 s at the latest.
    await database.query('DELETE FROM processes');
    expect(await present.workerAlive()).toBe(true);
    await sleep(1_050);
    expect(await present.workerAlive()).toBe(false);
    await present.stop();
    await database.query('DELETE FROM processes');
  });
});

describe('notifications', () => {
  const opened: Notifications[] = [];
  afterEach(async () => {
    for (const notifications of opened.splice(0)) await notifications.close();
  });

  /** Closed after the test, even after a failed one: it would reconnect forever. */
  function newNotifications(): Notifications {
    const notifications = new Notifications(test.url);
    opened.push(notifications);
    return notifications;
  }

  const say = (channel: string, payload: string) => database.query('SELECT pg_notify($1, $2)', [channel, payload]);

  it('reach every listener of their channel until it leaves', async () => {
    const notifications = newNotifications();
    const heard: string[] = [];
    const leave = notifications.on('one', (payload) => heard.push(`first ${payload}`));
    notifications.on('one', (payload) => heard.push(`second ${payload}`));
    await notifications.open();
    notifications.on('Other Channel', (payload) => heard.push(`other ${payload}`));
    await say('one', 'a');
    await until(() => heard.length === 2);
    leave();
    await until(async () => {
      await say('Other Channel', 'x');
      return heard.some((line) => line === 'other x');
    });
    await say('one', 'b');
    await until(() => heard.includes('second b'));
    expect(heard.filter((line) => line.startsWith('first'))).toEqual(['first a']);
  });

  it('come again after the connection was killed, on every channel, before "reconnected" is told', async () => {
    const notifications = newNotifications();
    const heard: string[] = [];
    for (const channel of ['one', 'two']) notifications.on(channel, (payload) => heard.push(`${channel} ${payload}`));
    let told = 0;
    notifications.onReconnected(() => {
      told += 1;
      void say('one', 'sent when told').then(() => say('two', 'sent when told'));
    });
    await notifications.open();
    const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'parley listen' AND datname = current_database()`;
    for (const round of [1, 2]) {
      await database.query(kill);
      await until(() => heard.length === round * 2);
      expect(told).toBe(round);
    }
    expect(heard.slice(0, 2)).toEqual(['one sent when told', 'two sent when told']);
    await notifications.close();
    await until(async () => (await database.query(kill)).length === 0);
    expect(told).toBe(2);
  });
});
