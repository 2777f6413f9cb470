import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { appendCounted, EmbeddedStore, newCategory, until, WatchedCalls } from '@app/testing/event-store';
import { until as patiently } from '@app/testing/until';
import { EventSeen, type EventBatch, type EventStore } from '../src';

/** More events than may wait for a follower. */
const MANY = 2_300;

let embedded: EmbeddedStore;
let writer: EventStore;
let store: EventStore;
let calls: WatchedCalls;
const followers: Reader[] = [];

beforeAll(async () => {
  Logger.overrideLogger(false);
  embedded = await EmbeddedStore.start();
  writer = embedded.connect();
});
beforeEach(async () => {
  store = embedded.connect();
  calls = await WatchedCalls.of(store.catchUpClient);
});
afterEach(async () => {
  await Promise.all(followers.splice(0).map((each) => each.stop()));
  jest.restoreAllMocks();
});
afterAll(async () => {
  await embedded.stop();
  Logger.overrideLogger(true);
});

/** Follows some categories as a reactor does, and records what it handled. */
class Reader {
  readonly seen: number[] = [];
  passed = 0;
  failures = 0;
  stuck = false;
  before: () => Promise<void> = async () => undefined;
  private ending = new AbortController();
  private following: Promise<void> = Promise.resolve();

  constructor(private readonly categories: readonly string[]) {
    followers.push(this);
  }

  /** Continues after the last position that it passed. */
  start(): this {
    this.ending = new AbortController();
    const { categories, ending } = this;
    const onBatch = (batch: EventBatch) => this.take(batch);
    const onStuck = (isStuck: boolean) => void (this.stuck = isStuck);
    this.following = store.shared.follow({ categories, after: this.passed, signal: ending.signal, onBatch, onStuck });
    return this;
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await this.following;
  }

  private async take({ events, upTo }: EventBatch): Promise<void> {
    await this.before().catch((error: unknown) => {
      this.failures += 1;
      throw error;
    });
    this.seen.push(...events.map(({ position }) => position));
    this.passed = upTo;
  }
}

/** Subscriptions that have not ended. */
const open = () => calls.subscriptions.open;
const isOrdered = (positions: readonly number[]) => positions.every((each, n) => each > (positions[n - 1] ?? -1));

describe('a shared subscription', () => {
  it('is one for all who follow, gives each its own events, and ends with the last of them', async () => {
    const [one, other] = [newCategory(), newCategory()];
    store.shared.expect([one, other]);
    const start = await appendCounted(writer, `${one}-a`, 0);
    const both = new Reader([one, other]);
    const half = new Reader([other]);
    for (const each of [both, half]) Object.assign(each, { passed: start }).start();
    await until(() => open() === 1);
    const positions = [
      await appendCounted(writer, `${one}-a`, 1),
      await appendCounted(writer, `${other}-a`, 0),
      await appendCounted(writer, `${one}-a`, 2),
    ];
    await until(() => both.seen.length === 3 && half.seen.length === 1);
    expect([both.seen, half.seen, calls.subscriptions.opened]).toEqual([positions, [positions[1]], 1]);
    await half.stop();
    expect(open()).toBe(1);
    await both.stop();
    expect(open()).toBe(0);
  });

  it('lets a follower from further back read for itself until it has caught up', async () => {
    const category = newCategory();
    const end = await appendCounted(writer, `${category}-a`, 0, 300);
    const [late, early] = [
      new Reader([category]).start(),
      Object.assign(new Reader([category]), { passed: end }).start(),
    ];
    await until(() => late.seen.length === 300);
    await until(() => open() === 1);
    await appendCounted(writer, `${category}-a`, 300, 2);
    await until(() => late.seen.length === 302 && early.seen.length === 2);
    expect([isOrdered(late.seen), early.seen]).toEqual([true, late.seen.slice(300)]);
  });

  it('waits for nobody: who falls behind reads for itself, and joins again', async () => {
    const category = newCategory();
    const [slow, quick] = [new Reader([category]), new Reader([category])];
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    slow.before = () => held;
    for (const each of [slow, quick]) each.start();
    // Before it has begun, the end of the store, where it begins, moves with the appends.
    await until(() => open() === 1);
    for (let first = 0; first < MANY; first += 100) await appendCounted(writer, `${category}-a`, first, 100);
    await until(() => quick.seen.length === MANY);
    expect([slow.seen.length, open()]).toEqual([0, 1]);
    release();
    await until(() => slow.seen.length === MANY);
    await until(() => open() === 1);
    expect(calls.subscriptions.opened).toBe(2);
    await appendCounted(writer, `${category}-a`, MANY);
    await until(() => slow.seen.length === MANY + 1);
    expect(slow.seen).toEqual(quick.seen);
  });

  it('gives a follower that failed the same events again, says when it is stuck, and lets the others go on', async () => {
    const category = newCategory();
    const [failing, other] = [new Reader([category]).start(), new Reader([category]).start()];
    let isBroken = true;
    failing.before = async () => {
      if (isBroken) throw new Error('never');
    };
    for (let n = 0; n < 5; n += 1) await appendCounted(writer, `${category}-a`, n);
    await until(() => failing.stuck);
    expect([other.seen.length, other.stuck, failing.seen]).toEqual([5, false, []]);
    isBroken = false;
    await until(() => failing.seen.length === 5);
    expect([failing.seen, failing.stuck]).toEqual([other.seen, false]);
  });

  it('takes in categories that nobody announced', async () => {
    const [one, other] = [newCategory(), newCategory()];
    const first = new Reader([one]).start();
    await appendCounted(writer, `${one}-a`, 0);
    await until(() => first.seen.length === 1);
    await appendCounted(writer, `${other}-a`, 0);
    const second = new Reader([other]).start();
    await appendCounted(writer, `${other}-a`, 1);
    await appendCounted(writer, `${one}-a`, 1);
    await until(() => first.seen.length === 2 && second.seen.length === 2);
    await until(() => open() === 1);
  });

  it('tells who has nothing to do how far the store was read', async () => {
    const [quiet, busy] = [newCategory(), newCategory()];
    const [waiting, working] = [new Reader([quiet]).start(), new Reader([busy]).start()];
    const position = await appendCounted(writer, `${busy}-a`, 0, 3);
    await until(() => working.passed >= position && waiting.passed >= position);
    expect(waiting.seen).toEqual([]);
  });

  it('publishes each event once, however many follow', async () => {
    const category = newCategory();
    const published: number[] = [];
    store.feed.publishOn({
      publish: (news: unknown) => void (news instanceof EventSeen && published.push(news.event.position)),
    });
    const readers = [0, 1, 2].map(() => new Reader([category]).start());
    for (let n = 0; n < 4; n += 1) await appendCounted(writer, `${category}-a`, n);
    await until(() => readers.every(({ seen }) => seen.length === 4));
    expect(published).toEqual(readers[0]?.seen);
  });
});

describe('followers that are slow, fail, leave and come back, and a server that restarts', () => {
  const seeds = process.env['SEED'] === undefined ? [1, 2, 3] : [Number(process.env['SEED'])];

  it.each(seeds)('nothing is lost, doubled or out of order, by seed %s', async (seed) => {
    const draw = chances(seed);
    const categories = [newCategory(), newCategory(), newCategory()];
    const followed = [categories, categories.slice(0, 1), categories.slice(1), categories.slice(2)];
    const readers = followed.map((some) => Object.assign(new Reader(some), { before: () => luck(draw) }).start());
    const appended = categories.map(() => 0);
    for (let step = 0; step < 20; step += 1) {
      const [reader, category, what] = [readers[draw(4)], draw(3), draw(100)];
      if (what < 25) await reader?.stop().then(() => reader.start());
      if (what > 90) await embedded.stopServer().then(() => embedded.startServer());
      const count = 1 + draw(700);
      await appendCounted(writer, `${categories[category]}-a`, appended[category] ?? 0, count);
      appended[category] = (appended[category] ?? 0) + count;
    }
    const positions = await Promise.all(
      categories.map(async (category) =>
        (await writer.readStream(`${category}-a`, 0, 20_000)).map(({ position }) => position),
      ),
    );
    for (const [index, some] of followed.entries()) {
      const all = some.flatMap((category) => positions[categories.indexOf(category)] ?? []);
      const { seen = [] } = readers[index] ?? {};
      await patiently(`the events of reader ${index}`, async () => seen.length >= all.length || null);
      expect(seen).toEqual(all.sort((one, other) => one - other));
    }
  });

  /** Makes a handler slow, or fail, now and then. */
  async function luck(draw: (below: number) => number): Promise<void> {
    const drawn = draw(100);
    if (drawn < 25) await sleep(drawn);
    if (drawn < 8) throw new Error('bad luck');
  }

  /** Returns random numbers from 0 to below another, the same ones for a seed. */
  function chances(seed: number): (below: number) => number {
    const drawn = fc.sample(fc.nat(1_000_000), { seed, numRuns: 10_000 });
    let next = 0;
    return (below) => (drawn[next++ % drawn.length] ?? 0) % below;
  }
});
