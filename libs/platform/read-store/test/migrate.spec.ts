import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { Unavailable } from '@app/kernel';
import { startPostgresProxy } from '@app/testing/stores';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { Database, migrate, migration, UnfitDatabase, type Migration } from '../src';
import { leaderLocks } from '../src/leading/leadership';
import { tallyMigrations } from './tally';

let test: TestDatabase;
beforeEach(async () => {
  test = await createTestDatabase();
});
afterEach(() => test.drop());

/** Slow, so that boots which do not wait for each other collide. */
const takeTime = migration(
  9998,
  'TakeTime',
  'CREATE TABLE slow (n integer); SELECT pg_sleep(0.2); INSERT INTO slow VALUES (1)',
);

const fail = migration(
  9997,
  'Fail',
  "CREATE TABLE half (n integer); DO $$ BEGIN RAISE EXCEPTION 'this migration is broken'; END $$",
);

const open = (migrations: readonly Migration[], url = test.url) =>
  Database.connect({ url, poolSize: 2, rows: [], migrations });

const applied = async (database: Database) =>
  (await database.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY id')).map(({ name }) => name);

describe('migrate', () => {
  it('is done once when six processes boot at once', async () => {
    const boots = await Promise.all(Array.from({ length: 6 }, () => open([...tallyMigrations, takeTime])));
    const steps: string[] = [];
    await Promise.all(boots.map((database) => migrate(database, { onStep: (name) => steps.push(name) })));
    const names = [
      'CreateReadStore1700000000000',
      'TellTroubles1700000000001',
      'CreateUserPlaces1700000000002',
      'MoveCheckpoints1700000000003',
      'TellLeads1700000000004',
      'KeepReadModelTables1700000000005',
      'KeepRebuilds1700000000006',
      'KeepPlacesOfPartitions1700000000007',
      'KeepPaceOfRebuilds1700000000008',
      'WatchStreams1700000000015',
      'SealingKeys1700000000016',
      'TakeTime1700000009998',
      'CreateTallies1700000009999',
    ];
    expect(steps).toEqual(names);
    for (const database of boots) {
      expect(await applied(database)).toEqual(names);
      expect(await database.query('SELECT n FROM slow')).toEqual([{ n: 1 }]);
      await database.close();
    }
  });

  it('changes nothing the second time', async () => {
    const database = await open(tallyMigrations);
    const steps: string[] = [];
    await migrate(database, { onStep: (name) => steps.push(name) });
    await migrate(database, { onStep: (name) => steps.push(name) });
    expect(steps).toHaveLength(tallyMigrations.length);
    await database.close();
  });

  it('refuses a schema that a newer version has made, and touches nothing', async () => {
    const newer = await open([...tallyMigrations, takeTime]);
    await migrate(newer);
    const older = await open(tallyMigrations);
    await expect(migrate(older)).rejects.toThrow(/does not know \(TakeTime1700000009998\); start a newer version/);
    expect(await applied(older)).toHaveLength(tallyMigrations.length + 1);
    await Promise.all([newer.close(), older.close()]);
  });

  it('that fails leaves nothing of the broken step, and lets others try', async () => {
    // TypeORM logs a failed migration on the console as well.
    jest.spyOn(console, 'log').mockReturnValue(undefined);
    const broken = await open([...tallyMigrations, fail]);
    await expect(migrate(broken)).rejects.toThrow('this migration is broken');
    expect(await broken.query(`SELECT to_regclass('half')::text AS name`)).toEqual([{ name: null }]);
    const mended = await open(tallyMigrations);
    await migrate(mended);
    expect(await applied(mended)).toHaveLength(tallyMigrations.length);
    await Promise.all([broken.close(), mended.close()]);
  });
});

describe('the numbers of migrations', () => {
  it('are unique', async () => {
    const twice = [...tallyMigrations, migration(2, 'CreateOthers', 'CREATE TABLE others (n integer)')];
    await expect(open(twice)).rejects.toThrow(
      'the migrations CreateUserPlaces1700000000002 and CreateOthers1700000000002 have the same number',
    );
  });
});

describe('the lock of the migrations', () => {
  it('is waited for no longer than that, and then its holder is named', async () => {
    const holder = new Client({ connectionString: test.url, application_name: 'somebody else' });
    await holder.connect();
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid, pg_advisory_lock($1)', [
      leaderLocks.migrations,
    ]);
    const database = await open(tallyMigrations);
    const refused = migrate(database, { lockWithinMs: 200 });
    await expect(refused).rejects.toThrow(UnfitDatabase);
    await expect(refused).rejects.toThrow(
      `for 0.2 s (pid ${rows[0]?.pid}, from this machine or hidden, application somebody else): wait until it is done`,
    );
    await holder.end();
    await migrate(database);
    await database.close();
  });
});

describe('a database that stands still', () => {
  it.each(['pg_advisory_lock', 'pg_locks'])('at "%s" is not waited for without end', async (said) => {
    const proxy = await startPostgresProxy(test.url);
    const other = new Client({ connectionString: test.url });
    await other.connect();
    await other.query('SELECT pg_advisory_lock($1)', [leaderLocks.migrations]);
    const database = await open(tallyMigrations, proxy.url);
    proxy.silence(said);
    await expect(migrate(database, { lockWithinMs: 100 })).rejects.toThrow(Unavailable);
    expect(proxy.silent()).toBe(1);
    await Promise.all([other.end(), database.close()]);
    await proxy.close();
  });
});

describe('a role that may create nothing', () => {
  const role = `few_rights_${randomUUID().replaceAll('-', '')}`;
  const asAdmin = async (...statements: string[]): Promise<void> => {
    const admin = await open([]);
    for (const statement of statements) await admin.query(statement);
    await admin.close();
  };
  let url: string;
  beforeEach(async () => {
    await asAdmin(`CREATE ROLE ${role} LOGIN PASSWORD 'few'`);
    const own = new URL(test.url);
    [own.username, own.password] = [role, 'few'];
    url = own.toString();
  });
  afterEach(() => asAdmin(`DROP OWNED BY ${role}`, `DROP ROLE ${role}`));

  it('is told what to grant while there is something to create', async () => {
    const database = await open(tallyMigrations, url);
    const refused = migrate(database);
    await expect(refused).rejects.toThrow(UnfitDatabase);
    await expect(refused).rejects.toThrow(
      `this version has tables to create, and the role ${role} may not: GRANT CREATE ON SCHEMA public TO ${role}`,
    );
    await asAdmin(`GRANT CREATE ON SCHEMA public TO ${role}`);
    await migrate(database);
    await database.close();
  });

  it('is enough once all is there, and it may read and write', async () => {
    const admin = await open(tallyMigrations);
    await migrate(admin);
    await admin.close();
    const database = await open(tallyMigrations, url);
    await expect(migrate(database)).rejects.toThrow(`the role ${role} may not read and write all tables (`);
    await asAdmin(`GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA public TO ${role}`);
    await migrate(database);
    expect(await applied(database)).toHaveLength(tallyMigrations.length);
    await database.close();
  });
});
