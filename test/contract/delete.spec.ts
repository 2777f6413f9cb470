import { StreamDeletedError } from '@eventstore/db-client';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { TombstoneReq } from '@eventstore/db-client/generated/streams_pb';
import type { ServiceError } from '@grpc/grpc-js';
import {
  collect,
  type ContractStore,
  identifier,
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

const credentials = { username: 'admin', password: 'changeit' };

describe('a soft delete', () => {
  test('makes the stream read as missing, and revisions continue after the next append', async () => {
    const stream = uniqueStream();
    await store.client.appendToStream(stream, testEvents(3));
    const { position } = await store.client.deleteStream(stream, { expectedRevision: 2n });
    expect(position?.commit).toBeGreaterThan(0n);
    await expect(collect(store.client.readStream(stream))).rejects.toMatchObject({ type: 'stream-not-found' });
    const again = await store.client.appendToStream(stream, testEvents(2, 3), { expectedRevision: 'no_stream' });
    expect(again.nextExpectedRevision).toBe(4n);
    const events = await collect(store.client.readStream(stream));
    expect(events.map(({ event }) => event?.revision)).toEqual([3n, 4n]);
    expect(numbers(events)).toEqual([3, 4]);
    const { metadata } = await store.client.getStreamMetadata(stream);
    expect(metadata?.truncateBefore).toBe(3);
  });

  test.each(['any', 2n] as const)('the next append may expect %s', async (expectedRevision) => {
    const stream = uniqueStream();
    await store.client.appendToStream(stream, testEvents(3));
    await store.client.deleteStream(stream);
    const again = await store.client.appendToStream(stream, testEvent(3), { expectedRevision });
    expect(again.nextExpectedRevision).toBe(3n);
  });

  test('leaves no other metadata, and the next append keeps what was set since', async () => {
    const stream = uniqueStream();
    await store.client.appendToStream(stream, testEvents(3));
    await store.client.setStreamMetadata(stream, { maxCount: 2, own: 'field' });
    await store.client.deleteStream(stream);
    const deleted = await store.client.getStreamMetadata(stream);
    expect(deleted.metadata).toEqual({ truncateBefore: Number((1n << 63n) - 1n) });
    await store.client.appendToStream(stream, testEvents(3, 3));
    expect((await store.client.getStreamMetadata(stream)).metadata).toEqual({ truncateBefore: 3 });
    expect(numbers(await collect(store.client.readStream(stream)))).toEqual([3, 4, 5]);
  });

  test('hides what was there also once other metadata are written', async () => {
    const stream = uniqueStream();
    await store.client.appendToStream(stream, testEvents(3));
    await store.client.deleteStream(stream);
    await store.client.setStreamMetadata(stream, { maxCount: 5, own: 'field' });
    const { metadata } = await store.client.getStreamMetadata(stream);
    expect(metadata).toEqual({ maxCount: 5, truncateBefore: 3, own: 'field' });
    expect(await collect(store.client.readStream(stream))).toEqual([]);
    await store.client.appendToStream(stream, testEvent(3), { expectedRevision: 2n });
    expect(numbers(await collect(store.client.readStream(stream)))).toEqual([3]);
  });

  test('an append of nothing undoes it', async () => {
    const stream = uniqueStream();
    await store.client.appendToStream(stream, testEvents(2));
    await store.client.deleteStream(stream);
    const undone = await store.client.appendToStream(stream, [], { expectedRevision: 'any' });
    expect(undone).toMatchObject({ success: true, nextExpectedRevision: 1n });
    expect(await collect(store.client.readStream(stream))).toEqual([]);
    expect((await store.client.getStreamMetadata(stream)).metadata).toEqual({ truncateBefore: 2 });
  });

  test('refuses an append under stream_exists', async () => {
    const stream = uniqueStream();
    await store.client.appendToStream(stream, testEvent(0));
    await store.client.deleteStream(stream);
    const append = store.client.appendToStream(stream, testEvent(1), { expectedRevision: 'stream_exists' });
    await expect(append).rejects.toMatchObject({ type: 'stream-deleted' });
  });

  test('refuses a tombstone under stream_exists, which the client cannot say', async () => {
    const stream = uniqueStream();
    await store.client.appendToStream(stream, testEvent(0));
    await store.client.deleteStream(stream);
    const options = new TombstoneReq.Options();
    options.setStreamIdentifier(identifier(stream));
    options.setStreamExists(new Empty());
    const request = new TombstoneReq();
    request.setOptions(options);
    const error = await new Promise<ServiceError | null>((resolve) => store.protocol().tombstone(request, resolve));
    expect(error?.metadata.get('exception')).toEqual(['stream-deleted']);
    await store.client.appendToStream(stream, testEvent(1), { expectedRevision: 'no_stream' });
  });

  test('a repeat under no_stream of which only the first event is known is refused', async () => {
    const stream = uniqueStream();
    const first = testEvent(0);
    await store.client.appendToStream(stream, first, { expectedRevision: 'no_stream' });
    await store.client.deleteStream(stream);
    const twice = store.client.appendToStream(stream, [first, first], { expectedRevision: 'no_stream' });
    await expect(twice).rejects.toMatchObject({ type: 'wrong-expected-version' });
    await expect(collect(store.client.readStream(stream))).rejects.toMatchObject({ type: 'stream-not-found' });
  });

  test.each([
    ['any', -2n],
    ['no_stream', -1n],
  ] as const)('of a stream that never was is a wrong version under %s', async (expectedRevision, expectedVersion) => {
    const stream = uniqueStream();
    const refused = store.client.deleteStream(stream, { expectedRevision });
    await expect(refused).rejects.toMatchObject({
      type: 'wrong-expected-version',
      streamName: stream,
      expectedVersion,
      actualVersion: -1n,
    });
    const appended = await store.client.appendToStream(stream, testEvent(0), { expectedRevision: 'no_stream' });
    expect(appended.nextExpectedRevision).toBe(0n);
    expect((await store.client.getStreamMetadata(stream)).metadata).toBeUndefined();
  });

  test('may be of a stream that has metadata only', async () => {
    const stream = uniqueStream();
    await store.client.setStreamMetadata(stream, { maxCount: 2 });
    const { position } = await store.client.deleteStream(stream);
    expect(position?.commit).toBeGreaterThan(0n);
  });

  test('under a wrong revision names both revisions', async () => {
    const stream = uniqueStream();
    await store.client.appendToStream(stream, testEvents(3));
    const refused = store.client.deleteStream(stream, { expectedRevision: 1n });
    await expect(refused).rejects.toMatchObject({
      type: 'wrong-expected-version',
      expectedVersion: 1n,
      actualVersion: 2n,
    });
    expect(await collect(store.client.readStream(stream))).toHaveLength(3);
  });
});

describe('a tombstone', () => {
  test('ends the stream forever, for every kind of call', async () => {
    const stream = uniqueStream();
    await store.client.appendToStream(stream, testEvents(2));
    const { position } = await store.client.tombstoneStream(stream, { expectedRevision: 1n });
    expect(position?.commit).toBeGreaterThan(0n);
    const calls = [
      collect(store.client.readStream(stream)),
      store.client.appendToStream(stream, testEvent(2)),
      store.client.appendToStream(stream, testEvent(2), { expectedRevision: 'no_stream', credentials }),
      store.client.deleteStream(stream),
      store.client.tombstoneStream(stream),
      store.client.setStreamMetadata(stream, { maxCount: 1 }),
    ];
    for (const call of calls) {
      const error: unknown = await call.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(StreamDeletedError);
    }
    await expect(store.client.appendToStream(stream, testEvent(2))).rejects.toMatchObject({ streamName: stream });
  });

  test('can be set where there is no stream, and is an event of $all', async () => {
    const stream = uniqueStream();
    const { position } = await store.client.tombstoneStream(stream, { expectedRevision: 'no_stream' });
    await expect(store.client.appendToStream(stream, testEvent(0))).rejects.toMatchObject({ type: 'stream-deleted' });
    const [event] = await collect(store.client.readAll({ fromPosition: position ?? 'end', maxCount: 1 }));
    expect(event?.event).toMatchObject({ streamId: stream, type: '$streamDeleted', revision: (1n << 63n) - 1n });
  });

  test('leaves the metadata of a stream that had some writable', async () => {
    const stream = uniqueStream();
    await store.client.setStreamMetadata(stream, { maxCount: 1 });
    await store.client.tombstoneStream(stream, { expectedRevision: 'any' });
    const written = await store.client.setStreamMetadata(stream, { maxCount: 2 }, { expectedRevision: 0n });
    expect(written).toMatchObject({ success: true, nextExpectedRevision: 1n });
    await expect(store.client.appendToStream(stream, testEvent(0))).rejects.toMatchObject({ type: 'stream-deleted' });
  });

  test('under a wrong revision is refused', async () => {
    const stream = uniqueStream();
    await store.client.appendToStream(stream, testEvent(0));
    const refused = store.client.tombstoneStream(stream, { expectedRevision: 5n });
    await expect(refused).rejects.toMatchObject({ type: 'wrong-expected-version', actualVersion: 0n });
    expect(await collect(store.client.readStream(stream))).toHaveLength(1);
  });
});
