import { binaryEvent, jsonEvent, MaxAppendSizeExceededError, WrongExpectedVersionError } from '@eventstore/db-client';
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

/** A call with credentials of its own uses `Append`, one without uses `BatchAppend`. */
const WAYS = [
  ['BatchAppend', {}],
  ['Append', { credentials: { username: 'admin', password: 'changeit' } }],
] as const;

describe.each(WAYS)('appending by %s', (_way, options) => {
  test('gives consecutive revisions and growing positions', async () => {
    const stream = uniqueStream();
    const first = await store.client.appendToStream(stream, testEvents(3), {
      ...options,
      expectedRevision: 'no_stream',
    });
    const second = await store.client.appendToStream(stream, testEvent(3), { ...options, expectedRevision: 2n });
    expect(first).toMatchObject({ success: true, nextExpectedRevision: 2n });
    expect(second).toMatchObject({ success: true, nextExpectedRevision: 3n });
    expect(second.position?.commit).toBeGreaterThan(first.position?.commit ?? 0n);
    const events = await collect(store.client.readStream(stream));
    expect(events.map(({ event }) => event?.revision)).toEqual([0n, 1n, 2n, 3n]);
    expect(numbers(events)).toEqual([0, 1, 2, 3]);
    expect(events[2]?.event?.position).toEqual(first.position);
  });

  test.each([
    ['no_stream where there is one', 'no_stream', 0n],
    ['an older revision', 0n, 1n],
    ['a revision to come', 7n, 1n],
  ] as const)('refuses %s', async (_case, expectedRevision, minimum) => {
    const stream = uniqueStream();
    await store.client.appendToStream(stream, testEvents(2), options);
    const append = store.client.appendToStream(stream, testEvent(9), { ...options, expectedRevision });
    const error = await append.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WrongExpectedVersionError);
    expect(error).toMatchObject({ streamName: stream, expectedVersion: expectedRevision, actualVersion: 1n });
    expect(minimum).toBeLessThanOrEqual(1n);
    expect(await collect(store.client.readStream(stream))).toHaveLength(2);
  });

  test.each(['stream_exists', 0n] as const)('refuses %s where there is no stream', async (expectedRevision) => {
    const append = store.client.appendToStream(uniqueStream(), testEvent(0), { ...options, expectedRevision });
    await expect(append).rejects.toMatchObject({ type: 'wrong-expected-version', actualVersion: 'no_stream' });
  });

  test('takes any and stream_exists', async () => {
    const stream = uniqueStream();
    await store.client.appendToStream(stream, testEvent(0), { ...options, expectedRevision: 'any' });
    await store.client.appendToStream(stream, testEvent(1), { ...options, expectedRevision: 'stream_exists' });
    expect(await collect(store.client.readStream(stream))).toHaveLength(2);
  });

  test('refuses more than a mebibyte at once and stores nothing of it', async () => {
    const stream = uniqueStream();
    const part = (): ReturnType<typeof binaryEvent> => binaryEvent({ type: 'blob', data: new Uint8Array(400 * 1024) });
    const append = store.client.appendToStream(stream, [part(), part(), part()], options);
    await expect(append).rejects.toBeInstanceOf(MaxAppendSizeExceededError);
    await expect(append).rejects.toMatchObject({ maxAppendSize: 1024 * 1024 });
    await expect(collect(store.client.readStream(stream))).rejects.toMatchObject({ type: 'stream-not-found' });
    await store.client.appendToStream(stream, testEvent(0), options);
  });

  test('returns bytes, JSON and metadata exactly', async () => {
    const stream = uniqueStream('exact-ü-€-𝄞');
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const before = Date.now();
    const text = { quote: '"', escape: '\\', line: '\n', wide: 'ü€𝄞', nil: null, number: 0.1 };
    await store.client.appendToStream(
      stream,
      [
        jsonEvent({ type: 'typ-ü', data: text, metadata: { actor: 'ü' } }),
        binaryEvent({ type: 'bytes', data: bytes, metadata: bytes }),
        binaryEvent({ type: 'empty', data: new Uint8Array(0) }),
      ],
      options,
    );
    const [json, binary, empty] = (await collect(store.client.readStream(stream))).map(({ event }) => event);
    expect(json).toMatchObject({ streamId: stream, type: 'typ-ü', isJson: true, data: text, metadata: { actor: 'ü' } });
    expect(Math.abs((json?.created.getTime() ?? 0) - before)).toBeLessThan(60_000);
    expect(binary).toMatchObject({ isJson: false, type: 'bytes' });
    // `as`: the data of a binary event is bytes.
    expect(Buffer.from(binary?.data as Uint8Array)).toEqual(Buffer.from(bytes));
    expect(Buffer.from(binary?.metadata as Uint8Array)).toEqual(Buffer.from(bytes));
    expect(empty?.data).toHaveLength(0);
    expect(empty?.metadata).toBeUndefined();
  });
});

test('parts of one append, and of many at once, are put together by correlation id', async () => {
  const streams = Array.from({ length: 20 }, () => uniqueStream());
  const appends = streams.map((stream) =>
    store.client.appendToStream(stream, testEvents(30), { batchAppendSize: 200 }),
  );
  for (const result of await Promise.all(appends)) expect(result.nextExpectedRevision).toBe(29n);
  for (const stream of streams) {
    const read = numbers(await collect(store.client.readStream(stream)));
    expect(read).toEqual(Array.from({ length: 30 }, (_, n) => n));
  }
});

test('of many appends at once with the same expectation exactly one wins', async () => {
  const stream = uniqueStream();
  await store.client.appendToStream(stream, testEvent(0));
  const attempts = Array.from({ length: 50 }, (_, n) =>
    store.client.appendToStream(stream, testEvent(n), { expectedRevision: 0n }),
  );
  const outcomes = await Promise.allSettled(attempts);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  for (const reason of reasons) expect(reason).toMatchObject({ type: 'wrong-expected-version', actualVersion: 1n });
});

test('an append of nothing succeeds', async () => {
  const stream = uniqueStream();
  await store.client.appendToStream(stream, testEvent(0));
  const result = await store.client.appendToStream(stream, [], { expectedRevision: 0n });
  expect(result).toMatchObject({ success: true, nextExpectedRevision: 0n });
  expect(result.position?.commit).toBeGreaterThan(0n);
});

test('stream_exists takes a stream of which there are only metadata', async () => {
  const stream = uniqueStream();
  await store.client.setStreamMetadata(stream, { maxCount: 3 });
  const result = await store.client.appendToStream(stream, testEvent(0), { expectedRevision: 'stream_exists' });
  expect(result.nextExpectedRevision).toBe(0n);
});
