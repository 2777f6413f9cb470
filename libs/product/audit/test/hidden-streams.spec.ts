/**
 * Events that administrators hide are stored, but not shown to folds of their streams; both the rows and the reads must
 * report them.
 */
import { readStore } from '@app/composition';
import { EventStore } from '@app/event-store';
import { hiddenRows } from '@app/event-store-server';
import { Database, openDatabase } from '@app/read-store';
import { readConfiguration } from '@app/settings';
import type { TestClient } from '@app/testing/client';
import { type Deployment, madeDatabase, startDeployment } from '@app/testing/deployment';
import { conversationOf, partOf, sql } from '@app/testing/journeys';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { checkpointed } from '@app/testing/transparency';
import { until } from '@app/testing/until';
import { LogTables } from '../src/log/log-tables';
import { type HiddenEvents, hiddenCheckpoints, hiddenFromStreams } from '../src/verification/hidden-from-streams';

/** Uses this event store, which must be empty, if it is set; else the embedded one. */
const given = process.env['EVENTSTORE_URL'];
let deployment: Deployment;
/** Its log has no leaves. */
let empty: Database;
let emptyDatabase: TestDatabase;
let user: TestClient;
beforeAll(async () => {
  emptyDatabase = await createTestDatabase(madeDatabase);
  empty = await openDatabase(readConfiguration({ PARLEY_MODE: 'sandbox', DATABASE_URL: emptyDatabase.url }), readStore);
  deployment = await startDeployment({
    mode: 'in-process',
    env: { LOG_LEVEL: 'silent', ...(given !== undefined && { EVENTSTORE_URL: given }) },
  });
  user = await deployment.newUser();
  for (let n = 0; n < 4; n += 1) {
    const id = await conversationOf(user);
    await user.request('PATCH', `/conversations/${id}`, { title: 'another' });
    await user.request('PATCH', `/conversations/${id}`, { title: 'and another' });
  }
  if (given === undefined) await checkpointed(deployment);
  await until('the leaves of four conversations', async () => {
    const [found] = await sql<{ leaves: number }>(
      deployment,
      `SELECT count(*)::integer AS leaves FROM transparency_leaves WHERE stream LIKE 'conversation-%'`,
    );
    return found?.leaves === 12 ? true : null;
  });
});
afterAll(async () => {
  await empty?.close();
  await emptyDatabase?.drop();
  await deployment?.stop();
});

async function all(found: AsyncIterable<HiddenEvents>): Promise<HiddenEvents[]> {
  const hidden: HiddenEvents[] = [];
  for await (const one of found) hidden.push(one);
  return hidden;
}

/** From the rows of the embedded event store; another event store has no rows to read. */
async function byRows(): Promise<HiddenEvents[]> {
  if (given !== undefined) return byReads();
  const database = partOf(deployment, Database);
  return all(hiddenRows((text, values) => database.query(text, values), Date.now()));
}

async function byReads(tables = partOf(deployment, LogTables)): Promise<HiddenEvents[]> {
  const store = partOf(deployment, EventStore);
  const ofCheckpoints = await hiddenCheckpoints(store);
  const found = await all(hiddenFromStreams(store, tables));
  return ofCheckpoints === null ? found : [ofCheckpoints, ...found];
}

it('shows everything before anybody hides something', async () => {
  expect([await byRows(), await byReads()]).toEqual([[], []]);
});

it('names truncation, deletion and tombstones, also of the checkpoints', async () => {
  const { client } = partOf(deployment, EventStore);
  const streams = await sql<{ stream: string; last: number }>(
    deployment,
    `SELECT stream, max(revision)::integer AS last FROM transparency_leaves WHERE stream LIKE 'conversation-%' GROUP BY stream ORDER BY stream`,
  );
  const [counted, before, deleted, gone] = streams;
  if (counted === undefined || before === undefined || deleted === undefined || gone === undefined)
    throw new Error('there are four conversations');
  await client.setStreamMetadata(counted.stream, { maxCount: 1 });
  await client.setStreamMetadata(before.stream, { truncateBefore: 1 });
  await client.setStreamMetadata('audit-checkpoints', { truncateBefore: 1 });
  await client.deleteStream(deleted.stream);
  await client.tombstoneStream(gone.stream);
  const expected: HiddenEvents[] = [
    { stream: 'audit-checkpoints', first: 0, last: 0, why: 'truncated' },
    { stream: counted.stream, first: 0, last: counted.last - 1, why: 'truncated' },
    { stream: before.stream, first: 0, last: 0, why: 'truncated' },
    { stream: deleted.stream, first: 0, last: deleted.last, why: 'deleted' },
    { stream: gone.stream, first: 0, last: gone.last, why: 'tombstoned' },
  ];
  const byStream = (one: HiddenEvents, other: HiddenEvents): number => (one.stream < other.stream ? -1 : 1);
  expect((await byRows()).sort(byStream)).toEqual(expected);
  expect((await byReads()).sort(byStream)).toEqual(expected);
  // As after a move of the event store, or if leaves were deleted from the tables.
  expect((await byReads(new LogTables(empty))).sort(byStream)).toEqual(expected);
  await empty.query(`INSERT INTO transparency_leaves SELECT 5, 1, '${deleted.stream}', 0, '', '', '', ''`);
  expect((await byReads(new LogTables(empty))).sort(byStream)).toEqual(expected);
  // A leaf that claims a later position than its event has.
  await empty.query(`DELETE FROM transparency_leaves`);
  await empty.query(`INSERT INTO transparency_leaves SELECT 0, ${2 ** 40}, 'user-${user.userId}', 0, '', '', '', ''`);
  expect((await byReads(new LogTables(empty))).sort(byStream)).toEqual(expected);
});

it('names the checkpoints whose stream is gone for good', async () => {
  await partOf(deployment, EventStore).client.tombstoneStream('audit-checkpoints');
  const gone = { stream: 'audit-checkpoints', first: 0, why: 'tombstoned' };
  expect(await byRows()).toContainEqual(expect.objectContaining(gone));
  expect(await byReads()).toContainEqual({ ...gone, last: 0 });
});
