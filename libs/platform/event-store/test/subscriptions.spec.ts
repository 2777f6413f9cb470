import { Logger } from '@nestjs/common';
import { binaryEvent, jsonEvent } from '@eventstore/db-client';
import { appendCounted, EmbeddedStore, foreignEvent, newCategory, until } from '@app/testing/event-store';
import { followCategories, type EventBatch, type EventStore } from '../src';

let embedded: EmbeddedStore;
let store: EventStore;
let stop: AbortController;
const running: Promise<void>[] = [];

beforeAll(async () => {
  Logger.overrideLogger(false);
  embedded = await EmbeddedStore.start();
  store = embedded.connect();
});
beforeEach(() => {
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await Promise.all(running.splice(0));
  jest.restoreAllMocks();
});
afterAll(async () => {
  await embedded.stop();
  Logger.overrideLogger(true);
});

class Follower {
  readonly batches: EventBatch[] = [];
  /** Called before a batch counts as handled. */
  before: (batch: EventBatch) => Promise<void> = async () => undefined;

  readonly numbers: unknown[] = [];

  get passed(): number {
    return this.batches.at(-1)?.upTo ?? 0;
  }

  private readonly onBatch = async (batch: EventBatch): Promise<void> => {
    await this.before(batch);
    this.batches.push(batch);
    this.numbers.push(...batch.events.map(({ payload }) => payload['n']));
  };

  categories(categories: string[], after = 0): this {
    const options = { categories, after, signal: stop.signal, onBatch: this.onBatch };
    running.push(followCategories(embedded.connect().client, options));
    return this;
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('followCategories', () => {
  it('brings what was there and what comes, of its categories only, in the order of the store', async () => {
    const [mine, also, other] = [newCategory(), newCategory(), newCategory()];
    await appendCounted(store, `${mine}-a`, 0, 2);
    await appendCounted(store, `${other}-a`, 0, 2);
    const follower = new Follower().categories([mine, also]);
    await until(() => follower.numbers.length === 2);
    await appendCounted(store, `${also}-b`, 0, 1);
    await appendCounted(store, `${mine}-a`, 2, 1);
    await until(() => follower.numbers.length === 4);
    expect(follower.numbers).toEqual([0, 1, 0, 2]);
    const positions = follower.batches.flatMap(({ events }) => events.map(({ position }) => position));
    expect([...positions].sort((one, next) => one - next)).toEqual(positions);
    expect(follower.batches.every(({ events, upTo: to }) => (events.at(-1)?.position ?? 0) <= to)).toBe(true);
  });

  it('does not take a category for another that begins alike', async () => {
    const mine = newCategory();
    await appendCounted(store, `${mine}x-a`, 0, 1);
    await appendCounted(store, `${mine}-a`, 0, 1);
    const follower = new Follower().categories([mine]);
    await until(() => follower.numbers.length > 0);
    expect(follower.batches.flatMap(({ events }) => events.map(({ stream }) => stream))).toEqual([`${mine}-a`]);
  });

  it('begins strictly after the position', async () => {
    const mine = newCategory();
    const position = await appendCounted(store, `${mine}-a`, 0, 3);
    await appendCounted(store, `${mine}-a`, 3, 2);
    const follower = new Follower().categories([mine], position);
    await until(() => follower.numbers.length === 2);
    expect(follower.numbers).toEqual([3, 4]);
  });

  it('goes on where it was when the server restarts: no gap, nothing twice', async () => {
    const mine = newCategory();
    await appendCounted(store, `${mine}-a`, 0, 30);
    const follower = new Follower().categories([mine]);
    await until(() => follower.numbers.length === 30);
    for (const first of [30, 60]) {
      await embedded.stopServer();
      await embedded.startServer();
      await appendCounted(store, `${mine}-a`, first, 30);
      await until(() => follower.numbers.length === first + 30);
    }
    expect(follower.numbers).toEqual(upTo(90));
  });

  it('gives a handler that threw the same events again', async () => {
    const mine = newCategory();
    const follower = new Follower();
    const seen: unknown[][] = [];
    follower.before = async ({ events }) => {
      seen.push(events.map(({ payload }) => payload['n']));
      if (seen.length <= 2) throw new Error('not now');
    };
    await appendCounted(store, `${mine}-a`, 0, 5);
    follower.categories([mine]);
    await until(() => follower.numbers.length === 5);
    await appendCounted(store, `${mine}-a`, 5, 1);
    await until(() => follower.numbers.length === 6);
    expect(follower.numbers).toEqual(upTo(6));
    expect(seen.slice(0, 3).every((numbers) => numbers[0] === 0)).toBe(true);
  });

  it('tells by empty batches how far it has looked where nothing of interest happens', async () => {
    const [mine, busy] = [newCategory(), newCategory()];
    const own = await appendCounted(store, `${mine}-a`, 0, 1);
    const follower = new Follower().categories([mine]);
    await until(() => follower.passed >= own);
    let end = own;
    for (let first = 0; first < 400; first += 100) end = await appendCounted(store, `${busy}-a`, first, 100);
    await until(() => follower.passed > own + 200);
    const empty = follower.batches.filter(({ events }) => events.length === 0);
    expect(empty.length).toBeGreaterThan(0);
    expect(follower.passed).toBeLessThanOrEqual(end);
    const ends = follower.batches.map(({ upTo: to }) => to);
    expect([...ends].sort((one, next) => one - next)).toEqual(ends);
    expect(follower.numbers).toEqual([0]);
  });

  it('passes over an event that is not ours, says so, and goes on', async () => {
    const mine = newCategory();
    const errors = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    await appendCounted(store, `${mine}-a`, 0, 1);
    const foreign = [
      binaryEvent({ type: 'foreign', data: Buffer.from([0, 1]) }),
      jsonEvent({ type: 'foreign', data: {} }),
      foreignEvent('counter.counted'),
    ];
    await store.client.appendToStream(`${mine}-a`, foreign);
    await appendCounted(store, `${mine}-a`, 4, 1);
    const follower = new Follower().categories([mine]);
    await until(() => follower.numbers.length === 2);
    foreign.push(binaryEvent({ type: 'foreign', data: Buffer.from([2]) }));
    await store.client.appendToStream(`${mine}-a`, foreign.slice(-1));
    // A caller that waits for its position need not wait for the next event.
    const end = await store.endPosition();
    await until(() => follower.passed >= end);
    expect(follower.numbers).toEqual([0, 4]);
    expect(errors.mock.calls.map(([message]) => String(message))).toEqual(
      foreign.map(({ id }) => `event ${id} of ${mine}-a is passed over`),
    );
  });

  it('ends when it is told to, also while a handler is at work', async () => {
    const mine = newCategory();
    await appendCounted(store, `${mine}-a`, 0, 1);
    const follower = new Follower();
    let handled = false;
    follower.before = async () => {
      stop.abort();
      await new Promise((later) => setTimeout(later, 50));
      handled = true;
    };
    follower.categories([mine]);
    await Promise.all(running.splice(0));
    expect(handled).toBe(true);
  });
});
