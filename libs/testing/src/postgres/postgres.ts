import { randomUUID } from 'node:crypto';
import { Client, escapeIdentifier } from 'pg';

/**
 * Names the variable with the URL of a database on the server of this jest run. If it is set before, tests use that
 * server and none is started.
 */
export const TEST_POSTGRES_URL = 'PARLEY_TEST_POSTGRES_URL';

export interface TestDatabase {
  url: string;
  /** Ends all connections to it and removes it. Safe to call twice. */
  drop(): Promise<void>;
}

/** A database that is made once in a jest run and then cloned. */
export interface Template {
  /** The same name means the same content, in all workers of the run. */
  name: string;
  /** Migrates or fills the database at `url`, and closes its connections. Runs in one worker only. */
  prepare(url: string): Promise<void>;
}

/**
 * Creates a database for one test, empty or a clone of `template`, on the server that `postgres-setup.ts` started.
 * Takes some tens of milliseconds. Throws if jest runs without that setup.
 */
export async function createTestDatabase(template?: Template): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await asAdmin(async (admin) => {
    if (template !== undefined) await ensureTemplate(admin, template);
    await admin.query(
      // As files, which takes a third of the time of logging every page.
      `CREATE DATABASE ${escapeIdentifier(name)} TEMPLATE ${escapeIdentifier(template?.name ?? 'template0')} STRATEGY FILE_COPY`,
    );
  });
  return {
    url: databaseUrl(name),
    drop: () => asAdmin((admin) => admin.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(name)} WITH (FORCE)`)),
  };
}

/** Prepares it under another name and renames it, so that an existing template is always complete. */
async function ensureTemplate(admin: Client, { name, prepare }: Template): Promise<void> {
  const exists = async (): Promise<boolean> =>
    (await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])).rowCount === 1;
  if (await exists()) return;
  // One worker prepares, the others wait; the lock ends with this connection.
  await admin.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [name]);
  if (await exists()) return;
  const unfinished = `${name}_unfinished`;
  await admin.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(unfinished)} WITH (FORCE)`);
  await admin.query(`CREATE DATABASE ${escapeIdentifier(unfinished)} TEMPLATE template0`);
  await prepare(databaseUrl(unfinished));
  await admin.query(`ALTER DATABASE ${escapeIdentifier(unfinished)} RENAME TO ${escapeIdentifier(name)}`);
}

async function asAdmin(work: (admin: Client) => Promise<unknown>): Promise<void> {
  const admin = new Client({ connectionString: serverUrl() });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

function databaseUrl(name: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return url.toString();
}

function serverUrl(): string {
  const url = process.env[TEST_POSTGRES_URL];
  if (!url)
    throw new Error(`${TEST_POSTGRES_URL} is not set: run jest with globalSetup test/support/postgres-setup.ts.`);
  return url;
}
