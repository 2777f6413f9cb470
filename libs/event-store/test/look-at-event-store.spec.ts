import { EmbeddedStore, type LossyProxy } from '../../../test/support/embedded-stores';
import { until } from '../../../test/support/until';
import { EventStoreLook, lookAtEventStore } from '../src';

const LOOKS = 4;

let embedded: EmbeddedStore;
let proxy: LossyProxy;
beforeAll(async () => {
  embedded = await EmbeddedStore.start();
});
beforeEach(async () => {
  proxy = await embedded.proxy();
});
afterAll(() => embedded.stop());

const noConnection = () => until('no connection', async () => (proxy.connections === 0 ? true : null), 60_000);

it('leaves no connection behind', async () => {
  for (let n = 0; n < LOOKS; n += 1) expect(await lookAtEventStore(`unix:${proxy.socketPath}`)).toBe('answers');
  await noConnection();
});

/** As a start does that waits. */
it('has one connection however often it looks, and finds the store again', async () => {
  proxy.loseAnswers();
  const look = new EventStoreLook(`unix:${proxy.socketPath}`, 200);
  for (let n = 0; n < LOOKS; n += 1) expect(await look.look()).toBe('away');
  expect(proxy.connections).toBeLessThanOrEqual(1);
  proxy.cut();
  await until('the store', async () => ((await look.look()) === 'answers' ? true : null));
  await look.close();
  await noConnection();
});

it('says that nobody listens', async () => {
  expect(await lookAtEventStore(`${embedded.address}-elsewhere`)).toBe('away');
});
