import type { EventStoreDBClient, StreamMetadata } from '@eventstore/db-client';
import { DamagedStream } from '@app/kernel';
import { v7 as uuidV7 } from 'uuid';
import { EmbeddedStore, until } from '@app/testing/event-store';
import { connectEventStore, EventStore } from '../src';
import { CountingProcess } from './counting-process';

// On the embedded store, or on a real one that EVENTSTORE_URL names: does what administrators do to streams, with the official client.
const url = process.env['EVENTSTORE_URL'];
const opened: EventStore[] = [];
let embedded: EmbeddedStore | null = null;
let admin: EventStoreDBClient;
beforeAll(async () => {
  embedded = url === undefined ? await EmbeddedStore.start() : null;
  admin = newStore().client;
});
afterAll(async () => {
  for (const store of opened) await store.dispose();
  await embedded?.stop();
});

/** A process that has just started: it remembers nothing. */
const newProcess = () => new CountingProcess(newStore());
function newStore(): EventStore {
  if (embedded !== null) return embedded.connect();
  const store = new EventStore(connectEventStore(url ?? ''));
  opened.push(store);
  return store;
}

async function streamOf(events: number): Promise<string> {
  const [process, id] = [newProcess(), uuidV7()];
  for (let n = 1; n <= events; n += 1) await process.count(id, n);
  return id;
}

type Damage = (stream: string) => Promise<unknown>;
const tombstoned: Damage = (stream) => admin.tombstoneStream(stream);
const deleted: Damage = (stream) => admin.deleteStream(stream);
const cutBy =
  (metadata: StreamMetadata): Damage =>
  (stream) =>
    admin.setStreamMetadata(stream, metadata);
const kinds: [string, Damage, object, object][] = [
  ['tombstoned', tombstoned, { damage: 'tombstoned', from: null }, { first: -1, last: -1 }],
  ['soft-deleted', deleted, { damage: 'deleted', from: null }, { first: -1, last: -1 }],
  ['cut by $maxCount 1', cutBy({ maxCount: 1 }), { damage: 'truncated', from: 20 }, { first: 20, last: 20 }],
  [
    'cut by truncateBefore 10',
    cutBy({ truncateBefore: 10 }),
    { damage: 'truncated', from: 10 },
    { first: 10, last: 20 },
  ],
  [
    'cut before an event that is not there',
    cutBy({ truncateBefore: 90 }),
    { damage: 'deleted' },
    { first: -1, last: -1 },
  ],
];

describe.each(kinds)('a stream that was %s', (_, damage, found, left) => {
  let id: string;
  let stream: string;
  beforeAll(async () => {
    id = await streamOf(21);
    stream = `counter-${id}`;
    await damage(stream);
  });

  it('is folded by no process that starts then, and nothing is decided on it', async () => {
    const process = newProcess();
    await expect(process.count(id, 22)).rejects.toMatchObject({ stream, ...found });
    await expect(process.count(id, 22)).rejects.toBeInstanceOf(DamagedStream);
    await expect(process.store.readStream(stream, 0, 100)).rejects.toMatchObject(found);
    await expect(process.store.lastRevision(stream)).rejects.toMatchObject(found);
    expect(process.store.damaged.all.map((each) => each.stream)).toEqual([stream]);
  });

  it('is not made again as if it were new', async () => {
    const process = newProcess();
    await expect(process.count(id, 1, { read: 'assume-new' })).rejects.toBeInstanceOf(DamagedStream);
    await expect(process.count(id, 2)).rejects.toBeInstanceOf(DamagedStream);
  });

  it('leaves the other streams of the process alone', async () => {
    const [process, other] = [newProcess(), uuidV7()];
    await expect(process.count(id, 22)).rejects.toBeInstanceOf(DamagedStream);
    expect(await process.count(other, 1)).toMatchObject({ ok: true, value: { revision: 0 } });
  });

  it('tells those who judge it what is left', async () => {
    const [otherId, store] = [await streamOf(21), newStore()];
    await damage(`counter-${otherId}`);
    expect(await store.remainsOf(`counter-${otherId}`)).toMatchObject({ ...left, damage: found });
    const remaining = await store.readRemaining(`counter-${otherId}`, 0, 100);
    expect(remaining[0]?.revision ?? -1).toBe((left as { first: number }).first);
  });
});

it('is whole again when its metadata are taken back before a scavenge', async () => {
  const [id, process] = [await streamOf(3), newProcess()];
  const stream = `counter-${id}`;
  await admin.setStreamMetadata(stream, { truncateBefore: 2 });
  await expect(process.count(id, 4)).rejects.toBeInstanceOf(DamagedStream);
  await admin.setStreamMetadata(stream, {});
  const seen = process.store.damaged.of(stream);
  expect(seen && (await process.store.streamReads.examine(seen))).toBeNull();
  process.store.damaged.remove(stream);
  expect(await process.count(id, 4)).toMatchObject({
    ok: true,
    value: { revision: 3, state: { counted: [1, 2, 3, 4] } },
  });
});

it('names an event of another program in a stream of ours', async () => {
  const [id, process] = [await streamOf(2), newProcess()];
  const stream = `counter-${id}`;
  await admin.appendToStream(stream, {
    contentType: 'application/octet-stream',
    id: uuidV7(),
    type: '$>',
    data: Buffer.from('0@other-1'),
  } as never);
  await expect(process.count(id, 3)).rejects.toMatchObject({ stream, damage: 'foreign', from: 2 });
});

it('does not take a stream for new whose snapshot is left', async () => {
  const [id, process] = [await streamOf(510), newProcess()];
  const stream = `counter-${id}`;
  await process.count(id, 511);
  await admin.setStreamMetadata(stream, { truncateBefore: 400 });
  process.states.forget({ category: 'counter' }, id);
  await expect(process.count(id, 512)).rejects.toMatchObject({ damage: 'truncated', from: 400 });
});

it('passes over the events of the server itself in a subscription', async () => {
  const [process, before, after] = [newProcess(), await streamOf(1), uuidV7()];
  const from = await process.store.endPosition();
  const [seen, stop] = [[] as string[], new AbortController()];
  const following = process.store.shared.follow({
    categories: ['counter'],
    after: from,
    signal: stop.signal,
    onBatch: async ({ events }) => void seen.push(...events.map(({ stream }) => stream)),
  });
  await admin.tombstoneStream(`counter-${before}`);
  await process.count(after, 1);
  await until(() => seen.includes(`counter-${after}`));
  expect(seen).not.toContain(`counter-${before}`);
  stop.abort();
  await following;
});

it('takes an event that the metadata of an unborn stream would cut for one that must not be made', async () => {
  const id = uuidV7();
  await admin.setStreamMetadata(`counter-${id}`, { truncateBefore: 5 });
  await expect(newProcess().count(id, 1)).rejects.toBeInstanceOf(DamagedStream);
});
