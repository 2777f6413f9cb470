import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CqrsModule, EventBus } from '@nestjs/cqrs';
import { NoTracing } from '@app/runtime';
import { counterKind, someCause } from '@app/testing/deciders';
import { EmbeddedStore, until } from '@app/testing/event-store';
import { v7 as uuidV7 } from 'uuid';
import { EventSeen, followCategories, FoldedStates, Streams, type EventBatch, type StoredEvent } from '../src';
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

/** A process with a bus, and what that carries of one stream. */
class Process {
  readonly store = embedded.connect();
  readonly states = new FoldedStates(this.store, new KeptSnapshots());
  readonly streams = new Streams(
    this.store,
    this.states,
    { waitForProjection: async () => undefined },
    new NoTracing(),
  );
  readonly carried: StoredEvent[] = [];

  private constructor(
    private readonly id: string,
    readonly bus: EventBus,
  ) {
    this.store.feed.publishOn(bus);
    bus.subscribe((seen) => {
      if (seen instanceof EventSeen && seen.event.stream === `counter-${id}`) this.carried.push(seen.event);
    });
  }

  static async start(id: string): Promise<Process> {
    const app: INestApplicationContext = await NestFactory.createApplicationContext(CqrsModule.forRoot(), {
      logger: false,
    });
    ends.push(() => app.close());
    return new Process(id, app.get(EventBus));
  }

  get numbers(): unknown[] {
    return this.carried.map(({ payload }) => payload['n']);
  }

  count(n: number) {
    return this.streams.decide(counterKind, this.id, { type: 'Count', n }, someCause());
  }

  /** Resolves with a function that resolves once a subscription has brought so many events of the stream. */
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
