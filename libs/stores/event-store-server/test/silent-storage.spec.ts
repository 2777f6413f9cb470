/** PostgreSQL accepts the writer's connection and then stays silent: the session is given up and opened again. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgresProxy, type PostgresProxy } from '@app/testing/stores';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { startEventStoreServer } from '../src';

let folder: string;
let database: TestDatabase;
let proxy: PostgresProxy;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-silent-storage-'));
  database = await createTestDatabase();
  proxy = await startPostgresProxy(database.url);
});
afterEach(async () => {
  await proxy.close();
  await database.drop();
  await rm(folder, { recursive: true });
});

it.each([
  ['while the lock is taken', 'pg_try_advisory_lock'],
  ['while the schema is looked at', 'schema_version'],
  ['while the end of the store is read', 'max(global_position)'],
])('%s: a start ends in time', async (_, text) => {
  proxy.silence(text);
  const listen = { socketPath: join(folder, 'events.sock') };
  // A busy machine needs longer to get so far.
  for (let startTimeoutMs = 500; proxy.silent() === 0; startTimeoutMs *= 2)
    await expect(startEventStoreServer({ databaseUrl: proxy.url, listen, startTimeoutMs })).rejects.toThrow();
});
