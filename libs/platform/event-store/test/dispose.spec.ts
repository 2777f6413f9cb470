import { EmbeddedStore, type LossyProxy } from '@app/testing/event-store';
import { until } from '@app/testing/until';
import { EventStore } from '../src';

let embedded: EmbeddedStore;
let proxy: LossyProxy;
beforeAll(async () => {
  embedded = await EmbeddedStore.start();
  proxy = await embedded.proxy();
});
afterAll(() => embedded.stop());

it('ends every connection', async () => {
  const store = EventStore.connect(`unix:${proxy.socketPath}`);
  // One for each purpose, all of them in use.
  for (const client of [store.client, store.tailClient, store.catchUpClient])
    await new EventStore(client).health.readOne(20_000);
  expect(proxy.connections).toBe(3);
  await store.dispose();
  await until('no connection', async () => (proxy.connections === 0 ? true : null), 60_000);
});
