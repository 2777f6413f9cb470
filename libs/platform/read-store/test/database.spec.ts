import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@app/embedded-postgres';
import { TookTooLong, Unavailable } from '@app/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@app/testing/event-store';
import { Database, keepLeading, migrate, Notifications, Processes } from '../src';
import { PostgresSnapshots } from '../src/postgres-snapshots';
import { keyRingOf } from './key-ring-of';
import { openTallies, tallyMigrations } from './tally';

/** A separate server, because it is stopped and killed here. */
let postgres: EmbeddedPostgres;
let folder: string;
let database: Database;
const start = async () => {
  postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
};
beforeAll(async () => {
  Logger.overrideLogger(false);
  folder = await mkdtemp(join(tmpdir(), 'read-store-test-'));
  await start();
  database = await openTallies(postgres.url('postgres'));
});
afterAll(async () => {
  await database.close();
  await postgres.stop();
  await rm(folder, { recursive: true });
  Logger.overrideLogger(true);
});

const insert = `INSERT INTO list_counters (name, projection, total) VALUES ($1, 'test', $2)`;

describe('statements', () => {
  it('answer rows, also of an INSERT, UPDATE and DELETE … RETURNING', async () => {
    const big = 9_007_199_254_740_991;
    expect(await database.query(`${insert} RETURNING name, total`, ['one', big])).toEqual([
      { name: 'one', total: big },
    ]);
    expect(await database.query(`UPDATE list_counters SET total = 2 WHERE name = 'one' RETURNING total`)).toEqual([
      { total: 2 },
    ]);
    expect(await database.query(`DELETE FROM list_counters WHERE name = 'one' RETURNING name`)).toEqual([
      { name: 'one' },
    ]);
    expect(await database.query(`UPDATE list_counters SET total = 3 WHERE name = 'one'`)).toEqual([]);
  });

  it('that PostgreSQL refuses throw its error, not Unavailable', async () => {
    await database.query(insert, ['twice', 1]);
    await expect(database.query(insert, ['twice', 1])).rejects.toMatchObject({ code: '23505' });
    await expect(database.query('SELECT nothing')).rejects.not.toThrow(Unavailable);
  });

  it('that are sent at once happen all or not at all, and fail as the first that fails', async () => {
    const totals = () => database.query("SELECT name, total FROM list_counters WHERE name LIKE 'sent%' ORDER BY name");
    const insertion = (name: string) => ({ text: insert, values: [name, 1] });
    await database.all([insertion('sent-1'), insertion('sent-2')]);
    const both = [
      { name: 'sent-1', total: 1 },
      { name: 'sent-2', total: 1 },
    ];
    expect(await totals()).toEqual(both);
    const failing = [
      insertion('sent-3'),
      insertion('sent-1'),
      { text: 'SELECT nothing', values: [] },
      insertion('sent-4'),
    ];
    for (let n = 0; n < 10; n += 1) await expect(database.all(failing)).rejects.toMatchObject({ code: '23505' });
    expect(await totals()).toEqual(both);
  });

  it('of a transaction happen all or not at all', async () => {
    const failing = database.transaction(async (manager) => {
      await manager.query(insert, ['half', 1]);
      throw new TypeError('no');
    });
    await expect(failing).rejects.toThrow(TypeError);
    expect(await database.query(`SELECT 1 FROM list_counters WHERE name = 'half'`)).toEqual([]);
    expect(await database.transaction(async (manager) => manager.query(insert, ['whole', 1]))).toBeDefined();
    expect(await database.query(`SELECT 1 FROM list_counters WHERE name = 'whole'`)).toHaveLength(1);
  });

  it('of a transaction that was given up for another one, since each waited for the other, are Unavailable', async () => {
    await database.query(insert, ['one side', 0]);
    await database.query(insert, ['other side', 0]);
    let holding = 0;
    const bumpBoth = (first: string, second: string) =>
      database.transaction(async (manager) => {
        const bump = 'UPDATE list_counters SET total = total + 1 WHERE name = $1';
        await manager.query(bump, [first]);
        holding += 1;
        await until(() => holding === 2);
        await manager.query(bump, [second]);
      });
    const outcomes = await Promise.allSettled([bumpBoth('one side', 'other side'), bumpBoth('other side', 'one side')]);
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(refused).toEqual([expect.any(Unavailable)]);
    expect(refused[0]).not.toBeInstanceOf(TookTooLong);
    expect(await database.query(`SELECT total FROM list_counters WHERE name LIKE '%side'`)).toEqual([
      { total: 1 },
      { total: 1 },
    ]);
  });

  it('wait for a connection, but not more than 5,000 at once: the next is Unavailable', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 5_100 }, () => database.query('SELECT 1')));
    const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(asked.length - refused.length).toBeGreaterThanOrEqual(5_000);
    expect(refused.length).toBeGreaterThan(0);
    for (const reason of refused) expect(reason).toBeInstanceOf(Unavailable);
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('whose connection is taken away are Unavailable, and the next ones work', async () => {
    const ended = expect(database.query('SELECT pg_terminate_backend(pg_backend_pid())')).rejects;
    await ended.toThrow(Unavailable);
    const within = database.transaction(async (manager) => {
      await manager.query(insert, ['broken', 1]);
      await manager.query('SELECT pg_terminate_backend(pg_backend_pid())');
    });
    await expect(within).rejects.toThrow(Unavailable);
    expect(await database.query(`SELECT 1 FROM list_counters WHERE name = 'broken'`)).toEqual([]);
    expect(await database.answers()).toBe(true);
  });
});

describe('a server that became read-only, as by a failover', () => {
  const readOnly = (value: string) =>
    database.query(`ALTER DATABASE postgres SET default_transaction_read_only = ${value}`);
  let demoted: Database;
  beforeAll(async () => {
    await readOnly('on');
    demoted = await Database.connect({ url: postgres.url('postgres'), poolSize: 1, rows: [], migrations: [] });
  });
  afterAll(async () => {
    await demoted.close();
    await readOnly('off');
  });

  it('is away for those who write, and for the readiness check', async () => {
    expect(await demoted.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await expect(demoted.query(insert, ['read-only', 1])).rejects.toThrow(Unavailable);
    await expect(demoted.transaction((manager) => manager.query(insert, ['read-only', 1]))).rejects.toThrow(
      Unavailable,
    );
    expect(await demoted.answers()).toBe(false);
  });
});

describe('with PostgreSQL stopped', () => {
  // Anything left open by a failure would try to connect forever.
  const leading = new AbortController();
  let notifications: Notifications;
  let processes: Processes;
  let leader: Promise<void>;
  afterAll(async () => {
    leading.abort();
    await leader;
    await notifications.close();
    await processes.stop();
  });

  it('everything says so, and works again once it is back', async () => {
    notifications = new Notifications(database.url);
    await notifications.open();
    const heard: string[] = [];
    let reconnections = 0;
    notifications.on('tidings', (payload) => heard.push(payload));
    notifications.onReconnected(() => (reconnections += 1));
    processes = new Processes(database, { api: false, worker: true });
    await processes.start();
    let led = 0;
    leader = keepLeading(database.leaderSession, 'watchdog', leading.signal, async (signal) => {
      led += 1;
      await sleep(60_000, undefined, { signal }).catch(() => undefined); // the lead is over
    });
    await until(() => led === 1);

    await postgres.stop();
    await expect(database.query('SELECT 1')).rejects.toThrow(Unavailable);
    await expect(database.transaction(async (manager) => manager.query('SELECT 1'))).rejects.toThrow(Unavailable);
    await expect(migrate(database)).rejects.toThrow(Unavailable);
    const another = { url: database.url, poolSize: 1, rows: [], migrations: tallyMigrations };
    await expect(Database.connect(another)).rejects.toThrow(Unavailable);
    expect(await database.answers()).toBe(false);
    expect(await new PostgresSnapshots(database, keyRingOf(database)).load('counter-1', 1)).toBeNull();
    await processes.stop();
    // Several attempts to connect fail before it is back.
    await sleep(1_200);

    await start();
    await until(() => reconnections > 0 && led > 1);
    expect(await database.answers()).toBe(true);
    await database.query(`SELECT pg_notify('tidings', 'again')`);
    await until(() => heard.length > 0);
    const [listening] = await database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'parley listen'`,
    );
    expect([heard, reconnections, listening?.count]).toEqual([['again'], 1, 1]);
  });
});
