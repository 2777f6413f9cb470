/** What administrators hide of streams is stored, and shown to nobody who folds them: it is named, by the rows and by the reads alike. */
import { EventStore } from '@app/event-store';
import { hiddenRows } from '@app/event-store-server';
import { Database } from '@app/read-store';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { conversationOf, partOf, sql } from '@app/testing/journeys';
import { checkpointed } from '@app/testing/transparency';
import { LogTables } from '../src/log-tables';
import type { HiddenEvents } from '../src/verification/hidden-events';
import { hiddenCheckpoints, hiddenFromStreams } from '../src/verification/hidden-from-streams';

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'silent' } });
  const user = await deployment.newUser();
  for (let n = 0; n < 4; n += 1) {
    const id = await conversationOf(user);
    await user.request('PATCH', `/conversations/${id}`, { title: 'another' });
    await user.request('PATCH', `/conversations/${id}`, { title: 'and another' });
  }
  await checkpointed(deployment);
});
afterAll(() => deployment.stop());

async function all(found: AsyncIterable<HiddenEvents>): Promise<HiddenEvents[]> {
  const hidden: HiddenEvents[] = [];
  for await (const one of found) hidden.push(one);
  return hidden;
}

async function byRows(): Promise<HiddenEvents[]> {
  const database = partOf(deployment, Database);
  return all(hiddenRows((text, values) => database.query(text, values), Date.now()));
}

async function byReads(): Promise<HiddenEvents[]> {
  const store = partOf(deployment, EventStore);
  const ofCheckpoints = await hiddenCheckpoints(store);
  const found = await all(hiddenFromStreams(store, partOf(deployment, LogTables)));
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
});
