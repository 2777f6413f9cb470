import { randomUUID } from 'node:crypto';
import { eventTypeFilter, excludeSystemEvents, streamNameFilter, type Filter } from '@eventstore/db-client';
import {
  type ContractStore,
  numbers,
  openContractStore,
  Recorder,
  testEvent,
  testEvents,
  uniqueStream,
} from '@app/testing/event-store';

let store: ContractStore;
beforeAll(async () => {
  store = await openContractStore();
});
afterAll(() => store.close());

/** Appends to streams `<key>-wanted-1`, `-2` and others, and events of type `<key>.wanted`. */
async function appendMix(key: string, first: number): Promise<void> {
  await store.client.appendToStream(`${key}-wanted-1`, testEvents(2, first));
  await store.client.appendToStream(`${key}-other`, testEvents(40, 1_000));
  await store.client.appendToStream(`${key}-wanted-2`, testEvent(first + 2));
  await store.client.appendToStream(`${key}-other`, [
    testEvent(first + 3, randomUUID(), `${key}.wanted`),
    testEvent(1_000),
  ]);
}

describe('a filtered subscription to $all', () => {
  test.each<[string, (key: string) => Filter, number[]]>([
    ['stream prefix', (key) => streamNameFilter({ prefixes: [`${key}-wanted`] }), [0, 1, 2]],
    ['stream prefixes', (key) => streamNameFilter({ prefixes: [`${key}-wanted-2`, `${key}-wanted-1`] }), [0, 1, 2]],
    ['stream regex', (key) => streamNameFilter({ regex: `^${key}-wanted-[12]$` }), [0, 1, 2]],
    ['type prefix', (key) => eventTypeFilter({ prefixes: [`${key}.wan`] }), [3]],
    ['type regex', (key) => eventTypeFilter({ regex: `${key}\\.wanted$` }), [3]],
  ])('by %s gets those events, caught up and live', async (_case, filterFor, expected) => {
    const key = randomUUID();
    await appendMix(key, 0);
    const recorder = new Recorder(store.client.subscribeToAll({ filter: filterFor(key) }));
    await recorder.untilSaid('caughtUp');
    expect(numbers(recorder.events)).toEqual(expected);
    await appendMix(key, 10);
    await recorder.untilEvents(2 * expected.length);
    expect(numbers(recorder.events)).toEqual([...expected, ...expected.map((n) => n + 10)]);
  });

  test('that excludes system events sees no metadata', async () => {
    const stream = uniqueStream();
    const recorder = new Recorder(store.client.subscribeToAll({ fromPosition: 'end', filter: excludeSystemEvents() }));
    await recorder.untilSaid('caughtUp');
    await store.client.setStreamMetadata(stream, { maxCount: 5 });
    await store.client.appendToStream(stream, testEvent(0));
    await recorder.until(() => recorder.events.some(({ event }) => event?.streamId === stream));
    expect(recorder.events.filter(({ event }) => event?.type.startsWith('$'))).toEqual([]);
  });

  test('reports its progress where nothing matches, every window times multiplier events', async () => {
    const checkpoints: bigint[] = [];
    const filter = streamNameFilter({
      prefixes: [uniqueStream('nothing')],
      maxSearchWindow: 5,
      checkpointInterval: 2,
      checkpointReached: (_subscription, { commit }) => {
        checkpoints.push(commit);
      },
    });
    const { position } = await store.client.appendToStream(uniqueStream(), testEvent(0));
    const last = await store.client.appendToStream(uniqueStream(), testEvents(53));
    const recorder = new Recorder(store.client.subscribeToAll({ fromPosition: position ?? 'start', filter }));
    await recorder.untilSaid('caughtUp');
    expect(checkpoints.length).toBeGreaterThanOrEqual(5);
    expect(checkpoints.length).toBeLessThanOrEqual(12);
    // Not every server sends a checkpoint at the end, so the last one may be a window behind.
    expect(checkpoints.at(-1)).toBeGreaterThan(position?.commit ?? 0n);
    expect(checkpoints.at(-1)).toBeLessThanOrEqual(last.position?.commit ?? 0n);
    expect(checkpoints).toEqual([...checkpoints].sort((a, b) => Number(a - b)));
  });

  test('can be resumed from a checkpoint without losing an event', async () => {
    const stream = uniqueStream('resumed');
    let checkpoint: { commit: bigint; prepare: bigint } | undefined;
    const filter = streamNameFilter({
      prefixes: [stream],
      maxSearchWindow: 1,
      checkpointReached: (_subscription, position) => {
        checkpoint = position;
      },
    });
    await store.client.appendToStream(stream, testEvents(3));
    const first = new Recorder(store.client.subscribeToAll({ filter }));
    await first.untilSaid('caughtUp');
    await first.subscription.unsubscribe();
    await store.client.appendToStream(stream, testEvents(2, 3));
    const second = new Recorder(store.client.subscribeToAll({ filter, fromPosition: checkpoint ?? 'end' }));
    await second.untilEvents(2);
    expect(numbers([...first.events, ...second.events])).toEqual([0, 1, 2, 3, 4]);
  });
});
