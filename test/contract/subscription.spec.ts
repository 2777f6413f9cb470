import { binaryEvent } from '@eventstore/db-client';
import {
  Recorder,
  numbers,
  openContractStore,
  pause,
  testEvent,
  testEvents,
  uniqueStream,
  type ContractStore,
} from './contract-store';

let store: ContractStore;
beforeAll(async () => {
  store = await openContractStore();
});
afterAll(() => store.close());

describe('a stream subscription', () => {
  test('is confirmed, catches up, says so, and goes on live', async () => {
    const stream = uniqueStream();
    await store.client.appendToStream(stream, testEvents(3));
    const recorder = new Recorder(store.client.subscribeToStream(stream));
    await recorder.untilSaid('caughtUp');
    await store.client.appendToStream(stream, testEvents(2, 3));
    await recorder.untilEvents(5);
    expect(recorder.said).toEqual(['confirmed', 'event', 'event', 'event', 'caughtUp', 'event', 'event']);
    expect(numbers(recorder.events)).toEqual([0, 1, 2, 3, 4]);
    await recorder.subscription.unsubscribe();
  });

  test('starts behind the given revision, and from the end with new events only', async () => {
    const stream = uniqueStream();
    await store.client.appendToStream(stream, testEvents(4));
    const after = new Recorder(store.client.subscribeToStream(stream, { fromRevision: 1n }));
    const end = new Recorder(store.client.subscribeToStream(stream, { fromRevision: 'end' }));
    await Promise.all([after.untilSaid('caughtUp'), end.untilSaid('caughtUp')]);
    await store.client.appendToStream(stream, testEvent(4));
    await Promise.all([after.untilEvents(3), end.untilEvents(1)]);
    expect(numbers(after.events)).toEqual([2, 3, 4]);
    expect(numbers(end.events)).toEqual([4]);
  });

  test('may wait for a stream that does not exist yet', async () => {
    const stream = uniqueStream();
    const recorder = new Recorder(store.client.subscribeToStream(stream));
    await recorder.untilSaid('caughtUp');
    await store.client.appendToStream(uniqueStream(), testEvent(7));
    await store.client.appendToStream(stream, testEvent(0));
    await recorder.untilEvents(1);
    expect(numbers(recorder.events)).toEqual([0]);
  });

  test('ends when its stream is tombstoned, and does not start on a tombstone', async () => {
    const stream = uniqueStream();
    await store.client.appendToStream(stream, testEvent(0));
    const during = new Recorder(store.client.subscribeToStream(stream));
    await during.untilSaid('caughtUp');
    await store.client.tombstoneStream(stream);
    await during.untilSaid('error:stream-deleted');
    const afterwards = new Recorder(store.client.subscribeToStream(stream));
    await afterwards.untilSaid('error:stream-deleted');
    expect(afterwards.events).toEqual([]);
  });

  test('loses and doubles nothing while appends and its start race', async () => {
    const stream = uniqueStream();
    const recorders: Recorder[] = [];
    for (let n = 0; n < 120; n++) {
      void store.client.appendToStream(stream, testEvent(n));
      if (n % 10 === 0) recorders.push(new Recorder(store.client.subscribeToStream(stream)));
      if (n % 7 === 0) await pause(1);
    }
    for (const recorder of recorders) {
      await recorder.untilEvents(120);
      expect(recorder.events.map(({ event }) => Number(event?.revision))).toEqual(
        Array.from({ length: 120 }, (_, n) => n),
      );
    }
  });
});

describe('a subscription to $all', () => {
  test('starts behind the given position and goes on live', async () => {
    const stream = uniqueStream();
    const { position } = await store.client.appendToStream(stream, testEvent(0));
    await store.client.appendToStream(stream, testEvent(1));
    const recorder = new Recorder(store.client.subscribeToAll({ fromPosition: position ?? 'end' }));
    await recorder.untilSaid('caughtUp');
    await store.client.appendToStream(stream, testEvent(2));
    const mine = (): unknown[] => numbers(recorder.events.filter(({ event }) => event?.streamId === stream));
    await recorder.until(() => mine().length === 2);
    expect(mine()).toEqual([1, 2]);
  });

  test('from the end brings new events only', async () => {
    const stream = uniqueStream();
    await store.client.appendToStream(stream, testEvent(0));
    const recorder = new Recorder(store.client.subscribeToAll({ fromPosition: 'end' }));
    await recorder.untilSaid('caughtUp');
    await store.client.appendToStream(stream, testEvent(1));
    const mine = (): unknown[] => numbers(recorder.events.filter(({ event }) => event?.streamId === stream));
    await recorder.until(() => mine().length === 1);
    expect(mine()).toEqual([1]);
  });
});

test('a subscriber that takes nothing for a while misses nothing afterwards', async () => {
  const stream = uniqueStream();
  const other = store.newClient();
  const subscription = other.subscribeToStream(stream, {}, { highWaterMark: 1 });
  const revisions: bigint[] = [];
  let done: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (done = resolve));
  subscription.on('error', () => undefined);
  subscription.on('data', ({ event }) => {
    if (event) revisions.push(event.revision);
    if (revisions.length === 1) {
      subscription.pause();
      setTimeout(() => subscription.resume(), 1_000);
    }
    if (revisions.length === 600) done();
  });
  const blob = (): ReturnType<typeof binaryEvent> => binaryEvent({ type: 'blob', data: new Uint8Array(10_000) });
  for (let n = 0; n < 60; n++) await store.client.appendToStream(stream, Array.from({ length: 10 }, blob));
  await finished;
  expect(revisions).toEqual(Array.from({ length: 600 }, (_, n) => BigInt(n)));
});

test('hundreds of subscriptions on one connection each get their own events', async () => {
  const streams = Array.from({ length: 400 }, () => uniqueStream());
  const recorders = streams.map((stream) => new Recorder(store.client.subscribeToStream(stream)));
  await Promise.all(recorders.map((recorder) => recorder.untilSaid('caughtUp')));
  await Promise.all(streams.map((stream, n) => store.client.appendToStream(stream, testEvent(n))));
  await Promise.all(recorders.map((recorder) => recorder.untilEvents(1)));
  expect(recorders.map(({ events }) => numbers(events)[0])).toEqual(streams.map((_, n) => n));
});
