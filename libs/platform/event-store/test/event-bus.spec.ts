import { NestFactory } from '@nestjs/core';
import { CqrsModule, EventBus } from '@nestjs/cqrs';
import { NoTracing } from '@app/runtime';
import { counterKind, someCause } from '@app/testing/deciders';
import { EmbeddedStore, until } from '@app/testing/event-store';
import { v7 as uuidV7 } from 'uuid';
import {
  EventSeen,
  followCategories,
  FoldedStates,
  Streams,
  type EventBatch,
  type EventStore,
  type StoredEvent,
} from '../src';
import { StreamSagas, WakeWaitersHandler } from '../src/deciding/wake-waiters';
import { KeptSnapshots } from './kept-snapshots';

let embedded: EmbeddedStore;
const ends: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  embedded = await EmbeddedStore.start();
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
afterAll(() => embedded.stop());

/** A process with a bus, and the events of one stream that the bus carried. */
class Process {
  readonly streams: Streams;
  readonly carried: StoredEvent[] = [];

  private constructor(
    private readonly id: string,
    readonly store: EventStore,
    private readonly states: FoldedStates,
    readonly bus: EventBus,
  ) {
    this.streams = new Streams(store, states, { waitForProjection: async () => undefined }, new NoTracing());
    store.feed.publishOn(bus);
    bus.subscribe((seen) => {
      if (seen instanceof EventSeen && seen.event.stream === `counter-${id}`) this.carried.push(seen.event);
    });
  }

  /** @param withSagas without them no waiter is woken, as for events published before the sagas are registered */
  static async start(id: string, { withSagas = true } = {}): Promise<Process> {
    const store = embedded.connect();
    const states = new FoldedStates(store, new KeptSnapshots());
    const root = {
      module: class Root {},
      imports: [CqrsModule.forRoot()],
      providers: [{ provide: FoldedStates, useValue: states }, ...(withSagas ? [StreamSagas, WakeWaitersHandler] : [])],
    };
    const app = await NestFactory.createApplicationContext(root, { logger: false });
    ends.push(() => app.close());
    return new Process(id, store, states, app.get(EventBus));
  }

  get numbers(): unknown[] {
    return this.carried.map(({ payload }) => payload['n']);
  }

  count(n: number) {
    return this.streams.decide(counterKind, this.id, { type: 'Count', n }, someCause());
  }

  /** Waits for news after a revision and returns how long that took, in milliseconds. */
  async wait(after: number, withinMs: number, signal?: AbortSignal): Promise<number> {
    const startedMs = performance.now();
    await this.states.untilNews(counterKind, this.id, { after, withinMs, ...(signal && { signal }) });
    return performance.now() - startedMs;
  }

  /** Resolves with a function that resolves once a subscription has delivered so many events of the stream. */
  follow(): (count: number) => Promise<unknown> {
    const stop = new AbortController();
    const brought: StoredEvent[] = [];
    const onBatch = async ({ events }: EventBatch) => {
      brought.push(...events.filter(({ stream }) => stream === `counter-${this.id}`));
    };
    const { client, feed } = this.store;
    const following = followCategories(client, {
      categories: ['counter'],
      after: 0,
      signal: stop.signal,
      feed,
      onBatch,
    });
    ends.push(async () => {
      stop.abort();
      await following;
    });
    return (count) => until(() => brought.length >= count);
  }
}

it('carries what is appended here as the store gives it back, each event once though a subscription brings it too', async () => {
  const id = uuidV7();
  const process = await Process.start(id);
  const brought = process.follow();
  for (const n of [1, 2, 3, 4, 5]) await process.count(n);
  expect(process.numbers).toEqual([1, 2, 3, 4, 5]);
  await brought(5);
  expect(process.carried).toEqual(await process.store.readStream(`counter-${id}`, 0, 10));
});

it('carries what others append, in the order of the stream: by a subscription, or before an append that follows it', async () => {
  const id = uuidV7();
  const [one, other] = [await Process.start(id), await Process.start(id)];
  await one.count(1);
  await other.count(2);
  await one.count(3);
  await one.count(4);
  expect([one.numbers, other.numbers]).toEqual([
    [1, 2, 3, 4],
    [1, 2],
  ]);
  await other.follow()(4);
  await one.follow()(4);
  expect([one.numbers, other.numbers]).toEqual([
    [1, 2, 3, 4],
    [1, 2, 3, 4],
  ]);
});

it('an append is accepted whatever becomes of its publication', async () => {
  const id = uuidV7();
  const process = await Process.start(id);
  process.bus.publisher = {
    publish: () => {
      throw new Error('no bus');
    },
  };
  expect(await process.count(1)).toMatchObject({ ok: true, value: { revision: 0 } });
  expect(await process.count(2)).toMatchObject({ ok: true, value: { revision: 1 } });
  expect(process.numbers).toEqual([]);
});

describe('a caller that waits for news of a stream', () => {
  const longMs = 8_000;

  it('is woken by what this process appends, and by what a subscription brings', async () => {
    const id = uuidV7();
    const [one, other] = [await Process.start(id), await Process.start(id)];
    const waiting = [one.wait(-1, longMs), one.wait(-1, longMs)];
    await one.count(1);
    for (const waitedMs of await Promise.all(waiting)) expect(waitedMs).toBeLessThan(longMs / 2);
    one.follow();
    const next = one.wait(0, longMs);
    await other.count(2);
    expect(await next).toBeLessThan(longMs / 2);
  });

  it('does not wait for what was seen before', async () => {
    const process = await Process.start(uuidV7());
    await process.count(1);
    expect(await process.wait(-1, longMs)).toBeLessThan(longMs / 2);
  });

  it('is not woken by other streams, and by nothing that was published before sagas are there; then it has waited long enough', async () => {
    const id = uuidV7();
    const [process, deaf] = [await Process.start(id), await Process.start(id, { withSagas: false })];
    const waiting = [process.wait(-1, 200), deaf.wait(-1, 200)];
    await process.streams.decide(counterKind, uuidV7(), { type: 'Count', n: 1 }, someCause());
    await deaf.count(1);
    expect(deaf.numbers).toEqual([1]);
    for (const waitedMs of await Promise.all(waiting)) expect(waitedMs).toBeGreaterThan(190);
  });

  it('goes on when it is not wanted any more', async () => {
    const process = await Process.start(uuidV7());
    const leaving = new AbortController();
    const waiting = process.wait(-1, longMs, leaving.signal);
    leaving.abort();
    expect(await waiting).toBeLessThan(longMs / 2);
    expect(await process.wait(-1, longMs, leaving.signal)).toBeLessThan(longMs / 2);
  });
});
