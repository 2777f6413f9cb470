import { randomUUID } from 'node:crypto';
import { connectEventStore } from '@app/event-store';
import { startEventStoreServer, type EventStoreServer } from '@app/event-store-server';
import { copyEvents, countEvents, VerbatimStore, verifyCopy } from '@app/event-migration';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';

const nothingAsked = { asked: [], projected: new Set<string>() };
const silent = (): void => undefined;

interface Side {
  readonly database: TestDatabase;
  server: EventStoreServer;
  readonly url: string;
  readonly store: VerbatimStore;
}

let source: Side;
let target: Side;
beforeEach(async () => {
  [source, target] = await Promise.all([side(), side()]);
});
afterEach(async () => {
  for (const { database, server, store } of [source, target]) {
    await store.close();
    await server.close();
    await database.drop();
  }
});

async function side(): Promise<Side> {
  const database = await createTestDatabase();
  const server = await startEventStoreServer({ databaseUrl: database.url, listen: { host: '127.0.0.1', port: 0 } });
  const url = `esdb://${server.address}?tls=false`;
  return { database, server, url, store: new VerbatimStore(url) };
}

/** Restarts the server of a side at the same address. */
async function restart(one: Side): Promise<void> {
  await one.server.close();
  const port = Number(one.server.address.split(':').at(-1));
  one.server = await startEventStoreServer({ databaseUrl: one.database.url, listen: { host: '127.0.0.1', port } });
}

/** An event with bytes that our JSON writer would not produce. */
function event(stream: string, revision: bigint, data: string, contentType = 'application/json') {
  const bytes = { data: Buffer.from(data), metadata: Buffer.from('{ "a" : 1.0 }') };
  return { stream, revision, position: 0n, id: randomUUID(), type: 'odd.thing', contentType, ...bytes };
}

async function all(store: VerbatimStore) {
  const found = [];
  for await (const { position: _, ...one } of store.events()) found.push(one);
  return found;
}

async function migrated() {
  await copyEvents(source.store, target.store, silent);
  return verifyCopy(source.store, target.store, nothingAsked, silent);
}

it('keeps bytes, whatever they are, and the order over all streams', async () => {
  const odd = ['{ "b":1,\n "a" : 1.50, "b": 2 }', '"\\u0041"', 'no json at all', ''];
  for (const [revision, data] of odd.entries()) {
    await source.store.append([[event('one-1', BigInt(revision), data)]]);
    await source.store.append([[event('two-2', BigInt(revision), '\u0000\u0001bytes', 'application/octet-stream')]]);
  }
  const copy = await migrated();
  expect(copy).toMatchObject({ events: 8, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(await all(target.store)).toEqual(await all(source.store));
  expect(await migrated()).toEqual(copy);
});

it('sends hundreds of appends before the first is answered, and keeps their order', async () => {
  const streams = ['one-1', 'two-2', 'three-3', 'four-4'];
  for (let revision = 0n; revision < 250n; revision++)
    await source.store.append(streams.map((stream) => [event(stream, revision, `{"n":${revision}}`)]));
  expect(await migrated()).toMatchObject({ events: 1_000 });
  const client = new Client({ connectionString: target.database.url });
  await client.connect();
  // One transaction per append if each waited for its answer; how many share one otherwise depends on the machine.
  const { rows } = await client.query<{ count: number }>(
    'SELECT count(DISTINCT xmin::text)::int AS count FROM event_store.events',
  );
  await client.end();
  process.stdout.write(`1,000 appends of a copy in ${rows[0]?.count} transactions\n`);
  expect(rows[0]?.count).toBeLessThan(500);
});

it('keeps the order where the target is away on the way', async () => {
  const streams = ['one-1', 'two-2'];
  for (let revision = 0n; revision < 1_000n; revision++)
    await source.store.append(streams.map((stream) => [event(stream, revision, '{}')]));
  let away: Promise<void> | undefined;
  await copyEvents(source.store, target.store, (done) => {
    if (done > 500) away ??= restart(target);
  });
  await away;
  expect(await migrated()).toMatchObject({ events: 2_000 });
});

it('says up to which events of the target a reader of the source has come', async () => {
  for (const revision of [0n, 1n, 2n]) await source.store.append([[event('one-1', revision, '{}')]]);
  await copyEvents(source.store, target.store, silent);
  const request = { asked: [0, 2, 99], projected: new Set(['one']) };
  const { positions, lastProjected } = await verifyCopy(source.store, target.store, request, silent);
  expect([[...positions], lastProjected]).toEqual([
    [
      [0, 0],
      [2, 2],
      [99, 3],
    ],
    3,
  ]);
});

it('refuses what lies there already and is no copy, at any place', async () => {
  await source.store.append([[event('one-1', 0n, '{}')]]);
  await migrated();
  await target.store.append([[event('one-1', 1n, '{}')]]);
  await expect(migrated()).rejects.toThrow(
    'the target is not a copy of the source: they differ at revision 1 of one-1',
  );
});

it('refuses a target whose positions run behind, and a stream that was deleted', async () => {
  const client = connectEventStore(source.url);
  await client.setStreamMetadata('one-1', { maxCount: 5 });
  await source.store.append([[event('one-1', 0n, '{}')]]);
  await expect(migrated()).rejects.toThrow('the positions of the target run behind');
  await client.tombstoneStream('one-1');
  await client.dispose();
  await expect(countEvents(source.store, silent)).rejects.toThrow('stream one-1 was deleted');
});
