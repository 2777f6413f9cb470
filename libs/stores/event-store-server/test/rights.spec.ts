/** The rights that the embedded event store needs in its database: to create its schema, or none once it owns one. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { startEventStoreServer, type EventStoreServer } from '../src';

const role = `few_rights_${randomUUID().replaceAll('-', '')}`;
let database: TestDatabase;
let folder: string;
let url: string;
beforeEach(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'parley-rights-'));
  await asAdmin(`CREATE ROLE ${role} LOGIN PASSWORD 'few'`);
  const own = new URL(database.url);
  [own.username, own.password] = [role, 'few'];
  url = own.toString();
});
afterEach(async () => {
  await asAdmin(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`);
  await database.drop();
  await rm(folder, { recursive: true });
});

async function asAdmin(statements: string): Promise<void> {
  const admin = new Client({ connectionString: database.url });
  await admin.connect();
  await admin.query(statements);
  await admin.end();
}

const start = (databaseUrl: string): Promise<EventStoreServer> =>
  startEventStoreServer({ databaseUrl, listen: { socketPath: join(folder, 'events.sock') } });

it('says at once what to grant to a role that may create no schema', async () => {
  const name = new URL(database.url).pathname.slice(1);
  await expect(start(url)).rejects.toThrow(
    `the role ${role} may not create the event store's schema in the database ${name}: ` +
      `GRANT CREATE ON DATABASE ${name} TO ${role}, or CREATE SCHEMA event_store AUTHORIZATION ${role}`,
  );
});

it('needs no right to create any once its schema is there, and is its own', async () => {
  await asAdmin(`CREATE SCHEMA event_store AUTHORIZATION ${role}`);
  await (await start(url)).close();
  await (await start(url)).close();
});

it('needs no right to create tables once they are there, and it may write them', async () => {
  await (await start(database.url)).close();
  await asAdmin(
    `GRANT USAGE ON SCHEMA event_store TO ${role}; GRANT SELECT, INSERT, DELETE ON ALL TABLES IN SCHEMA event_store TO ${role}`,
  );
  await (await start(url)).close();
});

it('says at once that the password is wrong', async () => {
  const wrong = new URL(url);
  wrong.password = 'wrong';
  await expect(start(wrong.toString())).rejects.toThrow(/password authentication failed/);
});
