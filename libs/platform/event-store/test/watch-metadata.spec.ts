/** Changes that an administrator of the event store makes to streams, as every process sees them. */
import { EmbeddedStore } from '@app/testing/event-store';
import { until } from '@app/testing/until';
import type { StreamChange } from '../src/damaged-streams/watch-metadata';
import { watchMetadata } from '../src';

let embedded: EmbeddedStore;
beforeAll(async () => {
  embedded = await EmbeddedStore.start();
});
afterAll(() => embedded.stop());

it('says which metadata hide events, and which streams have an access list of their own', async () => {
  const { client } = embedded.connect();
  const stop = new AbortController();
  const changes: StreamChange[] = [];
  const watching = watchMetadata(client, {
    after: 0,
    signal: stop.signal,
    onChange: async (change) => void changes.push(change),
    onLooked: async () => undefined,
    onFollowed: () => undefined,
  });
  await client.setStreamMetadata('counter-1', { maxCount: 1 });
  await client.setStreamMetadata('counter-2', { acl: { writeRoles: ['somebody'] } });
  await client.setStreamMetadata('counter-3', { custom: 'text' });
  await until('three changes', async () => (changes.length === 3 ? true : null));
  stop.abort();
  await watching;
  expect(changes).toEqual([
    { stream: 'counter-1', words: '$maxCount 1', hasAccessList: false },
    { stream: 'counter-2', words: null, hasAccessList: true },
    { stream: 'counter-3', words: null, hasAccessList: false },
  ]);
});
