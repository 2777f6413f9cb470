import { setMaxListeners } from 'node:events';
import { Unavailable } from '@app/kernel';
import { v7 as uuidV7 } from 'uuid';
import { counted, counterKind, someCause } from '@app/testing/deciders';
import { EmbeddedStore, impatient, WatchedCalls } from '@app/testing/event-store';
import { until as untilSome } from '@app/testing/until';
import { connectEventStore, encodeEvent, followCategories, type EventStore } from '../src';

/** A real server accepts 100; the calls above 80 are left for unforeseen ones. */
const openMax = 80;

let embedded: EmbeddedStore;
let store: EventStore;
beforeAll(async () => {
  embedded = await EmbeddedStore.start();
  store = embedded.connect();
});
afterAll(() => embedded.stop());

const encoded = (n: number) => [encodeEvent(counterKind, counted(n), someCause())];

/** Repeats the question, because PostgreSQL may take long to let the event store in on a busy machine. */
const until = (look: () => Promise<boolean>) => untilSome('an answer', async () => ((await look()) ? true : null));
const readAgain = (stream: string) =>
  untilSome('the events', () =>
    store.readStream(stream, 0, 1).catch((error: unknown) => {
      if (error instanceof Unavailable) return null;
      throw error;
    }),
  );

it('never more than 80 calls are open on a connection, however many are asked for at once', async () => {
  const calls = await WatchedCalls.of(store.client);
  const streams = Array.from({ length: 200 }, () => `counter-${uuidV7()}`);
  const appends = streams.map((stream, n) => store.append(stream, encoded(n), -1));
  expect((await Promise.all(appends)).map(({ kind }) => kind)).toEqual(streams.map(() => 'appended'));
  const reads = streams.map((stream) => readAgain(stream));
  const looks = Array.from({ length: 20 }, () => until(() => store.health.answers(60_000)));
  expect((await Promise.all(reads)).map(([event]) => event?.payload['n'])).toEqual(streams.map((_, n) => n));
  await Promise.all(looks);
  expect(calls.most).toBeGreaterThan(70);
  expect(calls.most).toBeLessThanOrEqual(openMax);
});

it('reads that nobody answers end in time, those that waited for their turn too', async () => {
  const proxy = await embedded.proxy();
  const silent = embedded.connect({ proxy, limits: impatient });
  await silent.readStream('counter-none', 0, 1);
  proxy.loseAnswers();
  const calls = await WatchedCalls.of(silent.client);
  const reads = Array.from({ length: 300 }, () => silent.readStream('counter-none', 0, 1));
  const outcomes = await Promise.allSettled(reads);
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected' && outcome.reason instanceof Unavailable);
  expect([refused.length, calls.most <= openMax]).toEqual([300, true]);
  proxy.cut();
  await until(() => silent.health.answers(1_000));
});

it('a connection has 80 subscriptions at most', async () => {
  const { client } = embedded.connect();
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const follow = () =>
    followCategories(client, { categories: ['none'], after: 0, signal: stop.signal, onBatch: async () => undefined });
  const following = Array.from({ length: openMax }, follow);
  await expect(follow()).rejects.toThrow('80 subscriptions');
  stop.abort();
  await Promise.all(following);
  // Subscriptions that have ended are not counted.
  await follow();
});

it('each purpose has a connection of its own, whatever the URL says of keep-alive', async () => {
  const purposes = ['calls', 'tails', 'catch-ups'] as const;
  for (const url of [embedded.address, 'esdb://127.0.0.1:1?tls=false', 'esdb://127.0.0.1:1?keepAliveInterval=20000']) {
    const clients = purposes.map((purpose) => connectEventStore(url, purpose));
    const channels = await Promise.all(clients.map((client) => client['getChannel']()));
    const intervals = channels.map((channel) => channel['internalChannel']['options']['grpc.keepalive_time_ms']);
    expect(new Set(intervals).size).toBe(purposes.length);
    for (const channel of channels) channel.close();
  }
});
