import { readFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddedDatabaseName, embeddedPostgresFolder } from '@app/data-folder';
import { copyDatabase, restoreBackup, takeBackup } from '@app/database-copies';
import { startEmbeddedPostgres } from '@app/embedded-postgres';
import { madeDatabase } from '@app/testing/deployment';
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

/** Creates the tables as the command line does: with the migrations. */
async function makeTables(url: string): Promise<void> {
  await madeDatabase.prepare(url);
}

/** Takes a backup, and changes the content of its `backup.json`. */
async function changedBackup(change: (manifest: Record<string, unknown>) => unknown): Promise<string> {
  const to = join(folder, 'backup');
  await takeBackup({ databaseUrl: source.url, dataDir: join(folder, 'data'), to }, onProgress);
  // Reason for the assertion: the product wrote the file just now.
  const manifest = JSON.parse(await readFile(join(to, 'backup.json'), 'utf8')) as Record<string, unknown>;
  await writeFile(join(to, 'backup.json'), JSON.stringify(change(manifest)));
  return to;
}

type Tables = { table: string; columns: string }[];
const restored = () => join(folder, 'restored');
const stay = { leave: async () => undefined, take: async () => undefined };
const restoring = (from: string) =>
  restoreBackup({ from, dataDir: restored(), hasSecretKey: false, makeTables, mark: [] }, onProgress);

describe('a backup that somebody wrote statements into', () => {
  it('is restored as data alone: no function, trigger, default, rule or table of it comes along', async () => {
    const statements = [
      `CREATE TABLE public.users_2 (user_id uuid)`,
      `CREATE FUNCTION planted_too() RETURNS text LANGUAGE sql AS $$ SELECT '' $$`,
      `CREATE TABLE public.planted (x text)`,
    ];
    const from = await changedBackup(({ tables, ...rest }) => ({
      ...rest,
      format: 1,
      // Reason for the assertion: the manifest lists tables.
      tables: (tables as Tables).map((table) => ({ ...table, definition: statements })),
    }));
    expect(await restoring(from)).toMatchObject({ leftOut: ['public.mine'] });
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
      'table public.users_2 has columns that this version does not know (planted)',
    );
  });
});
