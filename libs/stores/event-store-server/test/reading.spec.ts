/**
 * Readers do not block each other: an expired past costs nothing, nor do events that a filter leaves out, and lookups have connections of
 * their own.
 */
import { EventStoreDBClient, streamNameFilter } from '@eventstore/db-client';
import { Client } from 'pg';
import { collect, EmbeddedStore, numbers, Recorder, testEvents, uniqueStream } from '@app/testing/event-store';
import { startPostgresProxy, type PostgresProxy } from '@app/testing/stores';
import { until } from '@app/testing/until';

const expired = 20_000;
/** Far below `expired`, and far above what reading three events takes. */
const fetchedMax = 1_000;
const hourMs = 3_600_000;
const readersOfAll = 24;

let store: EmbeddedStore;
let database: Client;
let proxy: PostgresProxy | undefined;
const clients: EventStoreDBClient[] = [];
beforeEach(async () => {
  store = await EmbeddedStore.start();
  database = new Client({ connectionString: store.database.url });
  await database.connect();
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose();
  await proxy?.close();
  proxy = undefined;
  await database.end();
  await store.stop();
});

function connect(): EventStoreDBClient {
  const client = new EventStoreDBClient({ endpoint: store.address }, { insecure: true });
  clients.push(client);
  return client;
}

/** Events of one stream that are `ageMs` old. */
async function insertOld(stream: string, count: number, ageMs: number): Promise<void> {
  await store.stopServer();
  await database.query(
    `INSERT INTO event_store.events
     SELECT coalesce((SELECT max(global_position) FROM event_store.events), 0) + n, $1, n - 1, gen_random_uuid(),
       'counted', true, convert_to('{"n":' || n - 1 || '}', 'UTF8'), '', $3 FROM generate_series(1, $2) AS n`,
    [stream, count, Date.now() - ageMs],
  );
  await database.query('ANALYZE event_store.events');
  await store.startServer();
}

/** Rows of the table that the store has fetched; complete once none of its connections is left. */
async function fetched(): Promise<number> {
  await until('the end of the store', async () => {
    const { rows } = await database.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'parley event store%'`,
    );
    return rows.length === 0 ? true : null;
  });
  await database.query('SELECT pg_stat_clear_snapshot()');
  const { rows } = await database.query<{ rows: string }>(
    `SELECT idx_tup_fetch + seq_tup_read AS rows FROM pg_stat_user_tables WHERE relname = 'events'`,
  );
  return Number(rows[0]?.rows);
}

/** Rows fetched by a store that starts, runs the body, and ends. */
async function fetchedBy(body: () => Promise<void>): Promise<number> {
  await store.stopServer();
  const before = await fetched();
  await store.startServer();
  await body();
  await store.stopServer();
  return (await fetched()) - before;
}

test('what has expired costs a reader next to nothing', async () => {
  const stream = uniqueStream('aged');
  await insertOld(stream, expired, 2 * hourMs);
  const writing = connect();
  await writing.setStreamMetadata(stream, { maxAge: hourMs / 1_000 });
  await writing.appendToStream(stream, testEvents(3, expired));
  const atStart = await fetchedBy(async () => undefined);
  const looked = await fetchedBy(() => readYoung(stream));
  process.stdout.write(`${looked - atStart} rows looked at for 3 events of ${expired + 3}, read five times\n`);
  expect(looked - atStart).toBeLessThan(fetchedMax);
});

async function readYoung(stream: string): Promise<void> {
  const client = connect();
  const young = [expired, expired + 1, expired + 2];
  expect(numbers(await collect(client.readStream(stream)))).toEqual(young);
  const back = client.readStream(stream, { direction: 'backwards', fromRevision: 'end' });
  expect(numbers(await collect(back))).toEqual([...young].reverse());
  const fromTheMiddle = client.readStream(stream, { fromRevision: BigInt(expired + 1) });
  expect(numbers(await collect(fromTheMiddle))).toEqual(young.slice(1));
  const old = client.readStream(stream, { direction: 'backwards', fromRevision: BigInt(expired - 1) });
  expect(await collect(old)).toEqual([]);
  const recorder = new Recorder(client.subscribeToStream(stream));
  await recorder.untilSaid('caughtUp');
  expect(numbers(recorder.events)).toEqual(young);
  await recorder.subscription.unsubscribe();
}

test('for a reader that wants a few events of everything no more are read', async () => {
  const stream = uniqueStream('many');
  await insertOld(stream, expired, 0);
  const readEnds = async (last: number): Promise<void> => {
    const client = connect();
    for (let times = 0; times < 10; times += 1) {
      const back = client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 3 });
      expect(numbers(await collect(back))).toEqual([last, last - 1, last - 2]);
      expect(numbers(await collect(client.readAll({ maxCount: 2 })))).toEqual([0, 1]);
    }
  };
  const atStart = await fetchedBy(async () => undefined);
  const looked = await fetchedBy(() => readEnds(expired - 1));
  expect(looked - atStart).toBeLessThan(fetchedMax);
  await store.startServer();
  await connect().appendToStream(stream, testEvents(1, expired)); // the newest in memory, those before it not
  await readEnds(expired);
});

test('where everything has expired nothing is read', async () => {
  const stream = uniqueStream('aged');
  await insertOld(stream, 3, 2 * hourMs);
  const client = connect();
  await client.setStreamMetadata(stream, { maxAge: hourMs / 1_000 });
  expect(await collect(client.readStream(stream))).toEqual([]);
});

test('readers of everything leave look-ups and short streams alone', async () => {
  const stream = uniqueStream('short');
  await insertOld(stream, 3, 0);
  await store.stopServer();
  proxy = await startPostgresProxy(store.database.url);
  await store.startServer(proxy.url);
  // The database answers none of them, as if each of their pages took forever.
  const { silence, silent } = proxy;
  silence('all_ASC');
  const client = connect();
  const stuck = Array.from({ length: readersOfAll }, () => client.readAll());
  for (const read of stuck) read.on('error', () => undefined).resume();
  await until('a page that is waited for', async () => (silent() > 0 ? true : null));
  await expect(collect(client.readStream(uniqueStream()))).rejects.toMatchObject({ type: 'stream-not-found' });
  expect(numbers(await collect(client.readStream(stream)))).toEqual([0, 1, 2]);
});

test('an expression that matches nothing reads no event', async () => {
  await insertOld(uniqueStream('other'), expired, 0);
  await store.stopServer();
  proxy = await startPostgresProxy(store.database.url);
  await store.startServer(proxy.url);
  // The database never answers a query for events.
  proxy.silence('all_ASC');
  const recorder = new Recorder(connect().subscribeToAll({ filter: streamNameFilter({ regex: '^nothing$' }) }));
  await recorder.untilSaid('caughtUp');
  expect(recorder.events).toEqual([]);
});

test.each([
  ['expression', streamNameFilter({ regex: '^wanted-' })],
  ['prefix', streamNameFilter({ prefixes: ['wanted-'] })],
])('what an %s takes of old events is complete, however many there are', async (_kind, filter) => {
  await insertOld(uniqueStream('wanted'), 700, 0);
  await insertOld(uniqueStream('other'), 6_000, 0);
  await insertOld(uniqueStream('wanted'), 3, 0);
  const recorder = new Recorder(connect().subscribeToAll({ filter }));
  await recorder.untilSaid('caughtUp');
  expect(numbers(recorder.events)).toEqual([...Array.from({ length: 700 }, (_, n) => n), 0, 1, 2]);
});
