import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEventStoreServer } from '@app/event-store-server';
import { Unavailable } from '@app/kernel';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import { credentials, Metadata } from '@grpc/grpc-js';
import { v7 as uuidV7 } from 'uuid';
import { counted, counterKind, someCause } from '@app/testing/deciders';
import { freePorts } from '@app/testing/processes';
import { ElectingStore, electionTexts } from '@app/testing/stores';
import { EmbeddedStore, impatient, patient } from '@app/testing/event-store';
import { createTestDatabase } from '@app/testing/postgres';
import { until } from '@app/testing/until';
import { connectEventStore, encodeEvent, EventStore, followCategories } from '../src';
import { isTransient } from '../src/calls/transient-errors';

let folder: string;
let embedded: EmbeddedStore;
let cluster: ElectingStore;
const stores: EventStore[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'elections-'));
  embedded = await EmbeddedStore.start();
  cluster = await ElectingStore.start(join(folder, 'cluster'), embedded.address);
});
afterEach(() => {
  cluster.electing = null;
});
afterAll(async () => {
  for (const store of stores) await store.dispose();
  await cluster.close();
  await embedded.stop();
  await rm(folder, { recursive: true });
});

function connect(limits = patient): EventStore {
  const store = new EventStore(connectEventStore(`unix:${cluster.socketPath}`), undefined, limits);
  stores.push(store);
  return store;
}

const newStream = () => `counter-${uuidV7()}`;
const encoded = (n: number) => [encodeEvent(counterKind, counted(n), someCause())];

describe.each(electionTexts)('a cluster that says "%s"', (text) => {
  it('is asked again with the same event until it has a leader', async () => {
    const [store, stream, events] = [connect(), newStream(), encoded(1)];
    const before = cluster.refused;
    cluster.electing = text;
    const appending = store.append(stream, events, -1);
    await until('a second refusal', async () => (cluster.refused >= before + 2 ? true : null));
    cluster.electing = null;
    expect(await appending).toMatchObject({ kind: 'appended', revision: 0 });
    expect((await store.readStream(stream, 0, 10)).map(({ id }) => id)).toEqual([events[0]?.id]);
  });

  it('is unavailable in the end, to appends and to reads', async () => {
    const [store, stream] = [connect(impatient), newStream()];
    cluster.electing = text;
    await expect(store.append(stream, encoded(1), -1)).rejects.toBeInstanceOf(Unavailable);
    await expect(store.readStream(stream, 0, 10)).rejects.toBeInstanceOf(Unavailable);
    expect(await embedded.connect().lastRevision(stream)).toBe(-1);
  });
});

it('a cluster of which the client finds no node is no refusal', () => {
  expect(isTransient(new Error('Failed to discover after 10 attempts.'))).toBe(true);
  expect(isTransient(new Error('something else'))).toBe(false);
});

it('a cluster of which no node is found rejects what was asked, and nothing beside it', async () => {
  const database = await createTestDatabase();
  const [port = 0] = await freePorts(1);
  const listen = { host: '127.0.0.1', port };
  const server = await startEventStoreServer({ databaseUrl: database.url, listen });
  const discovery = 'tls=false&maxDiscoverAttempts=2&discoveryInterval=20&gossipTimeout=1';
  const client = connectEventStore(`esdb+discover://${server.address}?${discovery}`);
  const store = new EventStore(client, undefined, impatient);
  const stop = new AbortController();
  const onBatch = async () => undefined;
  const following = Array.from({ length: 5 }, async (_, n) =>
    followCategories(client, { categories: [`counter${n}`], after: 0, signal: stop.signal, onBatch }),
  );
  const append = async () =>
    store.append(`counter-${uuidV7()}`, [encodeEvent(counterKind, counted(0), someCause())], -1);
  expect(await append()).toMatchObject({ kind: 'appended', revision: 0 });
  await server.close();
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, append));
  expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason instanceof Unavailable)).toEqual(
    outcomes.map(() => true),
  );
  stop.abort();
  await Promise.all(following);
  await client.dispose();
  await database.drop();
});

it('a call that breaks while no node is found rejects nothing that nobody hears', async () => {
  const [port = 0] = await freePorts(1);
  const client = connectEventStore(
    `esdb+discover://127.0.0.1:${port}?tls=false&maxDiscoverAttempts=2&discoveryInterval=20`,
  );
  const broken = new StreamsClient(`127.0.0.1:${port}`, credentials.createInsecure());
  const error = Object.assign(new Error('14 UNAVAILABLE'), { code: 14, details: '', metadata: new Metadata() });
  const reading = new EventStore(client).readStream(newStream(), 0, 1);
  // As the client itself calls it, while the read waits for a node.
  const handled = client['handleError'](broken, error);
  await expect(reading).rejects.toBeInstanceOf(Unavailable);
  await expect(handled).resolves.toBeUndefined();
  broken.close();
});

it('a store that can be read and whose appends get no answer is told to be away within the time', async () => {
  const store = connect();
  expect(await store.health.answers(60_000)).toBe(true);
  cluster.hangs = true;
  // Timers of one process fire in the order of their times, however late.
  const late = sleep(700).then(() => 'late');
  expect(await Promise.race([store.health.answers(500), late])).toBe(false);
  cluster.hangs = false;
  await until('the store', async () => ((await store.health.answers(60_000)) ? true : null));
});
