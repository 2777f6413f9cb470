import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { describeFailure } from './start-failures';

/** PostgreSQL's message for a full disk. */
const fails = `DO $$ BEGIN RAISE EXCEPTION 'could not extend file "base/1/2" for lack of room' USING ERRCODE = '53100'; END $$`;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it.each<[string, (url: string) => Promise<unknown>]>([
  [
    'pg',
    async (connectionString) => {
      const client = new Client({ connectionString });
      await client.connect();
      return client.query(fails).finally(() => client.end());
    },
  ],
  [
    'TypeORM',
    async (url) => {
      const source = await new DataSource({ type: 'postgres', url }).initialize();
      return source.query(fails).finally(() => source.destroy());
    },
  ],
])('a database that lacks room is one sentence, by %s', async (_, act) => {
  const failure: unknown = await act(database.url).catch((error: unknown) => error);
  expect(describeFailure(failure)).toBe(
    'PostgreSQL cannot go on (could not extend file "base/1/2" for lack of room): give it what it lacks, such as room on its disk, and start again',
  );
});
