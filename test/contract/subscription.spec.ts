import {
  binaryEvent,
  START,
  TimeoutError,
  type EventStoreDBClient,
  type StreamSubscription,
} from '@eventstore/db-client';
import {
  type ContractStore,
  numbers,
  openContractStore,
  pause,
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

const firstRevisions = (count: number): bigint[] => Array.from({ length: count }, (_, n) => BigInt(n));

/**
 * The revisions of a stream in the order received, until there are `count`. A server may limit the live events that it buffers for a
 * subscriber, and end a slower subscription; then this subscribes again after the last event.
 */
function revisionsOf(
  client: EventStoreDBClient,
  stream: string,
  count: number,
  onFirst: (subscription: StreamSubscription) => void = () => undefined,
): Promise<bigint[]> {
  return new Promise((resolve, reject) => {
    const revisions: bigint[] = [];
    const follow = (): void => {
      const subscription = client.subscribeToStream(stream, { fromRevision: revisions.at(-1) ?? START });
      subscription.on('error', (error) => (error instanceof TimeoutError ? follow() : reject(error)));
      subscription.on('data', ({ event }) => {
        if (event) revisions.push(event.revision);
        if (revisions.length === 1) onFirst(subscription);
        if (revisions.length === count) resolve(revisions);
      });
    };
    follow();
  });
}

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

  test('may wait for a stream that does not exist yet, from whose end alone it is caught up before', async () => {
    const stream = uniqueStream();
    const start = new Recorder(store.client.subscribeToStream(stream));
    const end = new Recorder(store.client.subscribeToStream(stream, { fromRevision: 'end' }));
    await Promise.all([start.untilSaid('confirmed'), end.untilSaid('caughtUp')]);
    await store.client.appendToStream(uniqueStream(), testEvent(7));
    await store.client.appendToStream(stream, testEvent(0));
    await Promise.all([start.untilSaid('caughtUp'), end.untilEvents(1)]);
    expect(start.said).toEqual(['confirmed', 'event', 'caughtUp']);
    expect([start, end].map(({ events }) => numbers(events))).toEqual([[0], [0]]);
  });

  test('ends when its stream is tombstoned, behind the event of that', async () => {
    const stream = uniqueStream();
    await store.client.appendToStream(stream, testEvent(0));
    const during = new Recorder(store.client.subscribeToStream(stream));
    await during.untilSaid('caughtUp');
    await store.client.tombstoneStream(stream);
    await during.untilSaid('error:stream-deleted');
    expect(during.said.slice(0, 5)).toEqual(['confirmed', 'event', 'caughtUp', 'event', 'error:stream-deleted']);
    expect(during.events[1]?.event).toMatchObject({ type: '$streamDeleted', revision: (1n << 63n) - 1n });
  });

  test('of a tombstoned stream ends at once from its start, and is silent from its end', async () => {
    const stream = uniqueStream();
    await store.client.appendToStream(stream, testEvent(0));
    await store.client.tombstoneStream(stream);
    const start = new Recorder(store.client.subscribeToStream(stream));
    const end = new Recorder(store.client.subscribeToStream(stream, { fromRevision: 'end' }));
    await Promise.all([start.untilSaid('error:stream-deleted'), end.untilSaid('caughtUp')]);
    expect(start.events).toEqual([]);
    await expect(store.client.appendToStream(stream, testEvent(1))).rejects.toMatchObject({ type: 'stream-deleted' });
    expect(end.said).toEqual(['confirmed', 'caughtUp']);
  });

  test('loses and doubles nothing while appends and its start race', async () => {
    const stream = uniqueStream();
    const followers: Promise<bigint[]>[] = [];
    for (let n = 0; n < 120; n++) {
      void store.client.appendToStream(stream, testEvent(n));
      if (n % 10 === 0) followers.push(revisionsOf(store.client, stream, 120));
      if (n % 7 === 0) await pause(1);
    }
    for (const revisions of await Promise.all(followers)) expect(revisions).toEqual(firstRevisions(120));
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
  const revisions = revisionsOf(store.newClient(), stream, 600, (subscription) => {
    subscription.pause();
    setTimeout(() => subscription.resume(), 1_000);
  });
  const blob = (): ReturnType<typeof binaryEvent> => binaryEvent({ type: 'blob', data: new Uint8Array(10_000) });
  for (let n = 0; n < 60; n++) await store.client.appendToStream(stream, Array.from({ length: 10 }, blob));
  expect(await revisions).toEqual(firstRevisions(600));
});

test('a connection takes 100 calls, and the next one waits without a word until one of them ends', async () => {
  const client = store.newClient();
  const stream = uniqueStream();
  await store.client.appendToStream(stream, testEvent(0));
  const [first, ...others] = Array.from({ length: 100 }, () => new Recorder(client.subscribeToStream(stream)));
  for (const recorder of [first, ...others]) await recorder?.untilEvents(1);
  const late = new Recorder(client.subscribeToStream(stream));
  await pause(200);
  expect(late.said).toEqual([]);
  await first?.subscription.unsubscribe();
  await late.untilEvents(1);
});

test('hundreds of subscriptions on a few connections each get their own events', async () => {
  const streams = Array.from({ length: 400 }, () => uniqueStream());
  const clients = Array.from({ length: 5 }, () => store.newClient());
  const recorders = streams.map((stream, n) => {
    const client = clients[n % clients.length] ?? store.client;
    return new Recorder(client.subscribeToStream(stream));
  });
  await Promise.all(recorders.map((recorder) => recorder.untilSaid('confirmed')));
  await Promise.all(streams.map((stream, n) => store.client.appendToStream(stream, testEvent(n))));
  await Promise.all(recorders.map((recorder) => recorder.untilEvents(1)));
  expect(recorders.map(({ events }) => numbers(events)[0])).toEqual(streams.map((_, n) => n));
});
