import type { ResolvedEvent } from '@eventstore/db-client';
import {
  collect,
  type ContractStore,
  numbers,
  openContractStore,
  testEvent,
  testEvents,
  uniqueStream,
} from '@app/testing/event-store';

let store: ContractStore;
beforeAll(async () => {
  store = await openContractStore();
});
afterAll(() => store.close());

describe('reading a stream', () => {
  const stream = uniqueStream();
  beforeAll(() => store.client.appendToStream(stream, testEvents(10)));

  test.each([
    ['from the start', {}, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ['from a revision, inclusive', { fromRevision: 7n }, [7, 8, 9]],
    ['at most so many', { fromRevision: 2n, maxCount: 3 }, [2, 3, 4]],
    ['beyond the end', { fromRevision: 10n }, []],
    ['backwards from the end', { direction: 'backwards', fromRevision: 'end', maxCount: 3 }, [9, 8, 7]],
    ['backwards from a revision, inclusive', { direction: 'backwards', fromRevision: 2n }, [2, 1, 0]],
    ['backwards from beyond the end', { direction: 'backwards', fromRevision: 99n, maxCount: 2 }, [9, 8]],
    ['backwards from the start', { direction: 'backwards', fromRevision: 'start' }, [0]],
  ] as const)('%s', async (_case, options, expected) => {
    expect(numbers(await collect(store.client.readStream(stream, options)))).toEqual(expected);
  });

  test('a missing stream is not found', async () => {
    const missing = uniqueStream();
    const read = collect(store.client.readStream(missing));
    await expect(read).rejects.toMatchObject({ type: 'stream-not-found', streamName: missing });
  });

  test.each([
    ['a NUL character', 'a\0b'],
    ['half a megabyte', 'x'.repeat(512 * 1024)],
  ])('a name of %s is not found, and hurts no other read', async (_case, missing) => {
    const others = Array.from({ length: 40 }, () => uniqueStream());
    const notFound = (name: string) =>
      expect(collect(store.client.readStream(name))).rejects.toMatchObject({ type: 'stream-not-found' });
    await Promise.all([missing, ...others, `$$${missing}`].map(notFound));
  });

  test('many pages come in order, events of a mebibyte among them', async () => {
    const long = uniqueStream();
    for (let batch = 0; batch < 6; batch++) await store.client.appendToStream(long, testEvents(250, batch * 250));
    const all = Array.from({ length: 1500 }, (_, n) => n);
    expect(numbers(await collect(store.client.readStream(long)))).toEqual(all);
    const back = await collect(store.client.readStream(long, { direction: 'backwards', fromRevision: 'end' }));
    expect(numbers(back)).toEqual(all.reverse());
  });

  test('a reader may stop early', async () => {
    const read = store.client.readStream(stream);
    for await (const { event } of read) if (event?.revision === 3n) await read.cancel();
    expect(numbers(await collect(store.client.readStream(stream, { maxCount: 1 })))).toEqual([0]);
  });
});

describe('reading $all', () => {
  const stream = uniqueStream();
  const mine = (events: readonly ResolvedEvent[]): unknown[] =>
    numbers(events.filter(({ event }) => event?.streamId === stream));
  const positions: { commit: bigint; prepare: bigint }[] = [];
  beforeAll(async () => {
    for (let n = 0; n < 5; n++) {
      const { position } = await store.client.appendToStream(stream, testEvent(n));
      if (position) positions.push(position);
    }
  });

  test('forwards is inclusive, with commit equal to prepare and positions growing from 1', async () => {
    const events = await collect(store.client.readAll({ fromPosition: positions[2] ?? 'end' }));
    expect(mine(events)).toEqual([2, 3, 4]);
    expect(events[0]?.event?.position).toEqual(positions[2]);
    const commits = events.map(({ commitPosition }) => commitPosition ?? 0n);
    expect(commits).toEqual([...commits].sort((a, b) => Number(a - b)));
    expect(new Set(commits).size).toBe(commits.length);
    const [first] = await collect(store.client.readAll({ maxCount: 1 }));
    expect(first?.event?.position?.commit).toBe(first?.event?.position?.prepare);
    expect(first?.event?.position?.commit).toBeGreaterThanOrEqual(0n);
  });

  test('backwards is exclusive', async () => {
    const read = store.client.readAll({ direction: 'backwards', fromPosition: positions[3] ?? 'end' });
    const events: ResolvedEvent[] = [];
    for await (const event of read) {
      if (event.event?.streamId === stream) events.push(event);
      if (events.length === 3) await read.cancel();
    }
    expect(numbers(events)).toEqual([2, 1, 0]);
  });

  test('backwards from the end, at most so many', async () => {
    const events = await collect(store.client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 2 }));
    expect(events).toHaveLength(2);
    expect(await collect(store.client.readAll({ direction: 'backwards', fromPosition: 'start' }))).toEqual([]);
    expect(await collect(store.client.readAll({ fromPosition: 'end' }))).toEqual([]);
  });
});
