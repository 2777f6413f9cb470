import { randomUUID } from 'node:crypto';
import {
  collect,
  type ContractStore,
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

async function revisionsOf(stream: string): Promise<number> {
  return (await collect(store.client.readStream(stream))).length;
}

test.each([
  ['no_stream', 0],
  ['an exact revision', 2],
])('the same events again under %s are answered like the first time', async (_case, before) => {
  const stream = uniqueStream();
  const expectedRevision = before === 0 ? 'no_stream' : BigInt(before - 1);
  if (before > 0) await store.client.appendToStream(stream, testEvents(before));
  const events = testEvents(3);
  const first = await store.client.appendToStream(stream, events, { expectedRevision });
  await store.client.appendToStream(stream, testEvent(9));
  const again = await store.client.appendToStream(stream, events, { expectedRevision });
  expect(again).toEqual(first);
  expect(await revisionsOf(stream)).toBe(before + 4);
});

test.each(['any', 'stream_exists'] as const)(
  'the same events again under %s are answered like the first time',
  async (expectedRevision) => {
    const stream = uniqueStream();
    await store.client.appendToStream(stream, testEvent(0));
    const events = testEvents(2);
    const first = await store.client.appendToStream(stream, events, { expectedRevision });
    const again = await store.client.appendToStream(stream, events, { expectedRevision });
    expect(again).toEqual(first);
    expect(await revisionsOf(stream)).toBe(3);
  },
);

test('the same append twice at once is stored once', async () => {
  const stream = uniqueStream();
  const events = testEvents(2);
  const append = () => store.client.appendToStream(stream, events, { expectedRevision: 'no_stream' });
  // EventStoreDB 23.10.6 sometimes answers only one of them; a repeated request is answered.
  const first = await Promise.any([append(), append()]);
  expect(await append()).toEqual(first);
  expect(await revisionsOf(stream)).toBe(2);
});

test('a first event that differs is a wrong version', async () => {
  const stream = uniqueStream();
  const [kept, second] = [testEvent(0), testEvent(1)];
  await store.client.appendToStream(stream, [kept, second], { expectedRevision: 'no_stream' });
  const append = store.client.appendToStream(stream, [testEvent(5), second], { expectedRevision: 'no_stream' });
  await expect(append).rejects.toMatchObject({ type: 'wrong-expected-version' });
});

test.each(['no_stream', 'any'] as const)(
  'a repeat of which only a part is known is a wrong version (%s)',
  async (expectedRevision) => {
    const stream = uniqueStream();
    const known = testEvent(0);
    await store.client.appendToStream(stream, known, { expectedRevision });
    const append = store.client.appendToStream(stream, [known, testEvent(1)], { expectedRevision });
    await expect(append).rejects.toMatchObject({ type: 'wrong-expected-version' });
    expect(await revisionsOf(stream)).toBe(1);
  },
);

test('an id may be used in several streams', async () => {
  const id = randomUUID();
  for (const stream of [uniqueStream(), uniqueStream()]) {
    await store.client.appendToStream(stream, testEvent(0, id), { expectedRevision: 'no_stream' });
    const again = await store.client.appendToStream(stream, testEvent(0, id), { expectedRevision: 'no_stream' });
    expect(again.nextExpectedRevision).toBe(0n);
    expect(await revisionsOf(stream)).toBe(1);
  }
});

test('without an expectation an id counts where it was first', async () => {
  const [first, other] = [uniqueStream(), uniqueStream()];
  const event = testEvent(0);
  const { position } = await store.client.appendToStream(first, event);
  for (const revision of [0n, 1n, 2n]) {
    const again = await store.client.appendToStream(other, event);
    expect(again.nextExpectedRevision).toBe(revision);
  }
  expect(await store.client.appendToStream(first, event)).toMatchObject({ nextExpectedRevision: 0n, position });
});

test('a repeat of what is hidden is answered without a position', async () => {
  const stream = uniqueStream();
  const events = testEvents(2);
  await store.client.appendToStream(stream, events, { expectedRevision: 'no_stream' });
  await store.client.setStreamMetadata(stream, { truncateBefore: 5 });
  const again = await store.client.appendToStream(stream, events, { expectedRevision: 'no_stream' });
  expect(again).toMatchObject({ success: true, nextExpectedRevision: 1n });
  expect(again.position).toBeUndefined();
});
