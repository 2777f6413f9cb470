import { jsonEvent } from '@eventstore/db-client';
import {
  collect,
  type ContractStore,
  numbers,
  openContractStore,
  pause,
  Recorder,
  testEvents,
  uniqueStream,
} from '@app/testing/event-store';

let store: ContractStore;
beforeAll(async () => {
  store = await openContractStore();
});
afterAll(() => store.close());

describe('stream metadata', () => {
  test('is stored, replaced and returned, access list and own fields included', async () => {
    const stream = uniqueStream();
    expect(await store.client.getStreamMetadata(stream)).toEqual({ streamName: stream });
    const acl = {
      readRoles: ['$all'],
      writeRoles: ['ops'],
      deleteRoles: ['ops'],
      metaReadRoles: [],
      metaWriteRoles: [],
    };
    await store.client.setStreamMetadata(stream, { maxCount: 3, own: 'field' });
    await store.client.setStreamMetadata(stream, { maxAge: 3600, acl, own: { nested: [1] } }, { expectedRevision: 0n });
    const { metadata } = await store.client.getStreamMetadata<{ own: unknown }>(stream);
    expect(metadata).toEqual({ maxAge: 3600, acl, own: { nested: [1] } });
    const refused = store.client.setStreamMetadata(stream, {}, { expectedRevision: 0n });
    await expect(refused).rejects.toMatchObject({ type: 'wrong-expected-version', actualVersion: 1n });
  });

  test.each([
    ['maxCount keeps the newest', { maxCount: 2 }, [3, 4]],
    ['truncateBefore hides the oldest', { truncateBefore: 3 }, [3, 4]],
    ['a long maxAge hides nothing', { maxAge: 3600 }, [0, 1, 2, 3, 4]],
    ['both bounds hold', { maxCount: 4, truncateBefore: 3 }, [3, 4]],
  ])('%s', async (_case, metadata, expected) => {
    const stream = uniqueStream();
    await store.client.appendToStream(stream, testEvents(5));
    await store.client.setStreamMetadata(stream, metadata);
    expect(numbers(await collect(store.client.readStream(stream)))).toEqual(expected);
    const back = store.client.readStream(stream, { direction: 'backwards', fromRevision: 'end' });
    expect(numbers(await collect(back))).toEqual([...expected].reverse());
    const recorder = new Recorder(store.client.subscribeToStream(stream));
    await recorder.untilSaid('caughtUp');
    expect(numbers(recorder.events)).toEqual(expected);
  });

  test('maxAge hides what is older', async () => {
    const stream = uniqueStream();
    await store.client.appendToStream(stream, testEvents(2));
    await store.client.setStreamMetadata(stream, { maxAge: 1 });
    await pause(1_200);
    await store.client.appendToStream(stream, testEvents(1, 2));
    expect(numbers(await collect(store.client.readStream(stream)))).toEqual([2]);
  });
});

describe('links', () => {
  const link = (target: string) => jsonEvent({ type: '$>', data: target });
  const asText = (target: string) => ({
    ...link(target),
    contentType: 'application/octet-stream' as const,
    data: Buffer.from(target),
  });

  test('are resolved to the event, with the link beside it', async () => {
    const [stream, links] = [uniqueStream(), uniqueStream('links')];
    await store.client.appendToStream(stream, testEvents(3));
    await store.client.appendToStream(links, [asText(`2@${stream}`), asText(`0@${stream}`)]);
    const resolved = await collect(store.client.readStream(links, { resolveLinkTos: true }));
    expect(numbers(resolved)).toEqual([2, 0]);
    expect(resolved.map(({ link: by }) => [by?.streamId, by?.type, by?.revision])).toEqual([
      [links, '$>', 0n],
      [links, '$>', 1n],
    ]);
    const plain = await collect(store.client.readStream(links));
    expect(plain.map(({ event, link: by }) => [event?.type, by])).toEqual([
      ['$>', undefined],
      ['$>', undefined],
    ]);
    const recorder = new Recorder(store.client.subscribeToStream(links, { resolveLinkTos: true }));
    await recorder.untilSaid('caughtUp');
    await store.client.appendToStream(links, asText(`1@${stream}`));
    await recorder.untilEvents(3);
    expect(numbers(recorder.events)).toEqual([2, 0, 1]);
  });

  test('to nothing come without an event', async () => {
    const links = uniqueStream('links');
    await store.client.appendToStream(links, asText(`5@${uniqueStream()}`));
    const [resolved] = await collect(store.client.readStream(links, { resolveLinkTos: true }));
    expect(resolved?.event).toBeUndefined();
    expect(resolved?.link?.type).toBe('$>');
  });
});
