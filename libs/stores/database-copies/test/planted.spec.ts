import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddedDatabaseName, embeddedPostgresFolder } from '@app/data-folder';
import { copyDatabase, restoreBackup, takeBackup, type GivenKeys } from '@app/database-copies';
import { Database, migrate, readStoreMigrations } from '@app/read-store';
import { readStore } from '@app/composition';
import { startEmbeddedPostgres } from '@app/embedded-postgres';
import { madeDatabase } from '@app/testing/deployment';
import { makeStore } from '@app/testing/event-store';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { Client } from 'pg';

let folder: string;
let source: TestDatabase;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-planted-'));
  source = await createTestDatabase(madeDatabase);
  await on(source.url, async (client) => {
    await client.query(`
      CREATE FUNCTION planted() RETURNS text LANGUAGE sql AS $$ SELECT 'planted' $$;
      CREATE FUNCTION planted_rows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
      CREATE TABLE users_2 (LIKE users INCLUDING ALL);
      ALTER TABLE users_2 ALTER COLUMN issuer SET DEFAULT planted();
      ALTER TABLE users_2 ADD CONSTRAINT planted CHECK (planted() = 'planted');
      CREATE TABLE mine (note text);
      INSERT INTO mine VALUES ('of an administrator');
      INSERT INTO users_2 SELECT * FROM json_populate_record(NULL::users_2, '${JSON.stringify(user)}');
      CREATE TRIGGER planted BEFORE INSERT ON users_2 FOR EACH ROW EXECUTE FUNCTION planted_rows()`);
  });
});
afterEach(async () => {
  await source.drop();
  await rm(folder, { recursive: true });
});

const user = {
  user_id: '5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11',
  issuer: 'https://login.example',
  subject: 'user-4711',
  disabled: false,
  provisioned_at: '2026-11-20T08:00:00.000Z',
  position: 7,
};
const known = [...readStoreMigrations, ...readStore.migrations];
const migrations = known.map(({ name }) => name);
const onProgress = () => () => undefined;

async function on<Value>(url: string, work: (client: Client) => Promise<Value>): Promise<Value> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The planted things that are in a database, and the rows of the table on which they were planted. */
async function found(url: string) {
  return on(url, async (client) => {
    const query = async (sql: string): Promise<unknown[]> => (await client.query({ text: sql, rowMode: 'array' })).rows;
    return {
      functions: await query(`SELECT proname FROM pg_proc WHERE proname LIKE 'planted%'`),
      triggers: await query(`SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgname = 'planted'`),
      constraints: await query(`SELECT conname FROM pg_constraint WHERE conname = 'planted'`),
      tables: await query(`SELECT tablename FROM pg_tables WHERE tablename IN ('mine', 'planted') ORDER BY 1`),
      rows: await query('SELECT user_id, subject FROM users_2'),
    };
  });
}

const nothingPlanted = {
  functions: [],
  triggers: [],
  constraints: [],
  tables: [],
  rows: [[user.user_id, user.subject]],
};

/** Creates the tables as the command line does: with the migrations that are named. */
async function makeTables(url: string, names: readonly string[]): Promise<void> {
  const named = known.filter(({ name }) => names.includes(name));
  const database = await Database.connect({ url, poolSize: 2, rows: [], migrations: named });
  await migrate(database).finally(() => database.close());
  await makeStore(url);
}

/** Takes a backup, and changes the content of its `backup.json`. */
async function changedBackup(change: (manifest: Record<string, unknown>) => unknown): Promise<string> {
  const to = join(folder, 'backup');
  await takeBackup(
    { databaseUrl: source.url, dataDir: join(folder, 'data'), to, keysTo: join(folder, 'keys') },
    onProgress,
  );
  // Reason for the assertion: the product wrote the file just now.
  const manifest = JSON.parse(await readFile(join(to, 'backup.json'), 'utf8')) as Record<string, unknown>;
  await writeFile(join(to, 'backup.json'), JSON.stringify(await change(manifest)));
  return to;
}

type Tables = { table: string; columns: string }[];
const changedTables = (change: (tables: Tables) => unknown, more: object = {}) =>
  // Reason for the assertion: the manifest lists tables.
  changedBackup(({ tables, ...rest }) => ({ ...rest, ...more, tables: change(tables as Tables) }));
const restored = () => join(folder, 'restored');
const stay = { leave: async () => undefined, take: async () => undefined };
const restoring = (from: string, keys: GivenKeys = { file: join(folder, 'keys') }) =>
  restoreBackup({ from, dataDir: restored(), hasSecretKey: false, keys, migrations, makeTables, mark: [] }, onProgress);

/** Puts the keys among the tables, as backups of format 1 and 2 had them. */
async function keysAmongTables(keys: unknown): Promise<object> {
  const written = await readFile(join(folder, 'keys'));
  const rows = written.subarray(written.indexOf('\n') + 1);
  await writeFile(join(folder, 'backup', 'tables', 'public.sealing_keys.copy.gz'), rows);
  // Reason for the assertion: the manifest describes the table.
  return { ...(keys as object), sha256: createHash('sha256').update(rows).digest('hex') };
}

describe('a backup that somebody wrote statements into', () => {
  it('is restored as data alone: no function, trigger, default, rule or table of it comes along', async () => {
    const statements = [
      `CREATE TABLE public.users_2 (user_id uuid)`,
      `CREATE FUNCTION planted_too() RETURNS text LANGUAGE sql AS $$ SELECT '' $$`,
      `CREATE TABLE public.planted (x text)`,
    ];
    const from = await changedBackup(async ({ tables, id: _, keys, ...rest }) => ({
      ...rest,
      format: 1,
      // Reason for the assertion: the manifest lists tables.
      tables: [...(tables as Tables), await keysAmongTables(keys)].map((table) => ({
        ...table,
        definition: statements,
      })),
    }));
    expect(await restoring(from, 'unsaid')).toMatchObject({ leftOut: ['public.mine'] });
    const postgres = await startEmbeddedPostgres({ dataDir: embeddedPostgresFolder(restored()) });
    try {
      expect(await found(await postgres.owned(embeddedDatabaseName))).toEqual(nothingPlanted);
    } finally {
      await postgres.stop();
    }
  });

  it.each([
    ['a path', (table: Tables[number]) => ({ ...table, table: 'public."../../etc"' })],
    ['a statement for a name', (table: Tables[number]) => ({ ...table, table: 'public.users; DROP TABLE runs' })],
    ['no columns', ({ columns: _, ...table }: Tables[number]) => table],
    ['a name twice', (table: Tables[number]) => ({ ...table, table: 'public.users' })],
  ])('is refused before anything is made where its list of tables holds %s', async (_, change) => {
    const from = await changedBackup(({ tables, ...rest }) => ({
      ...rest,
      // Reason for the assertion: the manifest lists tables.
      tables: (tables as Tables).map((table) => change(table)),
    }));
    await expect(restoring(from)).rejects.toThrow('backup.json is not what was written');
  });

  it('is refused where it counts events that it does not hold', async () => {
    const from = await changedBackup((manifest) => ({ ...manifest, events: 7, position: 9 }));
    await expect(restoring(from)).rejects.toThrow(/^the backup holds 0 events, .+ and backup\.json says 7, up to 9/);
  });

  it('is refused where a table is missing, with its entry and its file', async () => {
    const from = await changedTables((tables) => tables.filter(({ table }) => table !== 'public.wallet_keys'));
    await rm(join(from, 'tables', 'public.wallet_keys.copy.gz'));
    await expect(restoring(from)).rejects.toThrow(
      /^the backup lacks tables that the migrations it names make \(“public\.wallet_keys”\): backup\.json is not /,
    );
  });

  it('is refused where it holds a table of a migration that it does not name', async () => {
    const named = migrations.filter((name) => name !== 'CreateWebhookEndpoints1700000000800');
    const from = await changedBackup((manifest) => ({ ...manifest, migrations: named }));
    await expect(restoring(from)).rejects.toThrow(
      /^the backup holds tables of migrations that it does not name \(“public\.webhook_endpoints”[^\n]*\): backup\.json is not /,
    );
  });

  it('is refused where it holds the rebuilt table of a read model whose migration it does not name', async () => {
    const named = migrations.filter((name) => name !== 'CreateWebhookEndpoints1700000000800');
    const rebuilt = (table: string) => (table === 'public.webhook_endpoints' ? `${table}_2` : table);
    const from = await changedTables((tables) => tables.map((one) => ({ ...one, table: rebuilt(one.table) })), {
      migrations: named,
    });
    const file = (table: string) => join(from, 'tables', `public.${table}.copy.gz`);
    await rename(file('webhook_endpoints'), file('webhook_endpoints_2'));
    await expect(restoring(from)).rejects.toThrow(/does not name \(“public\.webhook_endpoints_2”/);
  });

  it('is refused where it names a migration, and not the one that it needs', async () => {
    const named = migrations.filter((name) => !name.startsWith('CreateRuns'));
    const from = await changedBackup((manifest) => ({ ...manifest, migrations: named }));
    await expect(restoring(from)).rejects.toThrow(/^the backup names migrations without those that they need: [^\n]+$/);
  });

  it('may hold the hold of a log that a restore of an older backup made before the migration of its table', async () => {
    const named = migrations.filter((name) => !name.startsWith('NameLogIdentity'));
    const from = await changedBackup((manifest) => ({ ...manifest, migrations: named }));
    expect(await restoring(from)).toMatchObject({ leftOut: ['public.log_identity', 'public.mine'] });
  });

  it('is refused in one line where its columns are several', async () => {
    const columns = 'id, x\nrestored: all of it';
    const from = await changedTables((tables) => tables.map((table) => ({ ...table, columns })));
    await expect(restoring(from)).rejects.toThrow(
      /^table [a-z_.]+ has columns that no applied migration makes \([^\n]*“x\\u000arestored: all of it”\)$/,
    );
  });

  it('is refused in one line where a row does not fit', async () => {
    const row = gzipSync(`${JSON.stringify('x\\nrestored: all of it').slice(1, -1)}\n`);
    const sha256 = createHash('sha256').update(row).digest('hex');
    const from = await changedTables((tables) =>
      tables.map((one) => (one.table === 'public.users' ? { ...one, columns: 'user_id', sha256 } : one)),
    );
    await writeFile(join(from, 'tables', 'public.users.copy.gz'), row);
    await expect(restoring(from)).rejects.toThrow(
      /^the rows of table public\.users cannot be restored \(“invalid input syntax for type uuid: [^\n]+”\): take another/,
    );
  });
});

describe('a database that is copied', () => {
  let target: TestDatabase;
  beforeEach(async () => (target = await createTestDatabase(madeDatabase)));
  afterEach(() => target.drop());

  it('is copied as data alone', async () => {
    const { leftOut } = await copyDatabase(source.url, target.url, stay, () => undefined);
    expect(leftOut).toEqual(['public.mine']);
    expect(await found(target.url)).toEqual(nothingPlanted);
  });

  it.each(['users"; DROP TABLE users; --', 'users 2', 'Users'])(
    'is refused where a row says that a read model is in %j, which the program would put into statements',
    async (name) => {
      await on(source.url, (client) =>
        client.query(
          `INSERT INTO read_model_tables (table_name, projection, version, state) VALUES ($1, 'users', 9, 'retired')`,
          [name],
        ),
      );
      await expect(copyDatabase(source.url, target.url, stay, () => undefined)).rejects.toThrow(
        'no version of ours gave it',
      );
      expect(await on(target.url, (client) => client.query('SELECT 1 FROM users'))).toMatchObject({ rowCount: 0 });
    },
  );

  it('is refused where a table has a column that no migration makes', async () => {
    await on(source.url, (client) => client.query('ALTER TABLE users_2 ADD COLUMN "planted" text'));
    await expect(copyDatabase(source.url, target.url, stay, () => undefined)).rejects.toThrow(
      'table public.users_2 has columns that no applied migration makes (“planted”)',
    );
  });
});
