import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { EventStore, StoredEvent } from '@app/event-store';
import { DamagedStream, Unavailable } from '@app/kernel';
import { appendCounted, EmbeddedStore, newCategory, until } from '@app/testing/event-store';
import { startPostgresProxy } from '@app/testing/stores';
import { until as patiently } from '@app/testing/until';
import { Database, Reactors, type Reactor } from '../src';
import { openTallies } from './tally';

let embedded: EmbeddedStore;
let store: EventStore;
let database: Database;
let reactors: Reactors;
let stop: AbortController;
const running: Promise<void>[] = [];
beforeAll(async () => {
  Logger.overrideLogger(false);
  embedded = await EmbeddedStore.start();
  store = embedded.connect();
  database = await openTallies(embedded.database.url);
  reactors = new Reactors(database, store);
});
beforeEach(() => {
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await Promise.all(running.splice(0));
});
afterAll(async () => {
  await database.close();
  await embedded.stop();
  Logger.overrideLogger(true);
});

describe('a reactor', () => {
  const numberOf = ({ payload }: StoredEvent) => Number(payload['n']);
  const checkpoint = async (name: string) =>
    (await database.query<{ position: number }>('SELECT position FROM reactor_checkpoints WHERE name = $1', [name]))[0]
      ?.position ?? 0;

  function react(
    category: string,
    handle: (stored: StoredEvent) => Promise<void>,
    lock: Reactor['lock'] = 'watchdog',
  ): AbortController {
    const own = new AbortController();
    const reactor = { name: category, lock, categories: [category], react: handle };
    running.push(reactors.run(reactor, AbortSignal.any([stop.signal, own.signal])));
    return own;
  }

  it('goes on from its checkpoint after a restart', async () => {
    const category = newCategory();
    const seen: number[] = [];
    const handle = async (stored: StoredEvent) => void seen.push(numberOf(stored));
    const first = react(category, handle);
    const position = await appendCounted(store, `${category}-a`, 0, 3);
    await until(async () => (await checkpoint(category)) >= position);
    first.abort();
    await Promise.all(running.splice(0));
    const later = await appendCounted(store, `${category}-a`, 3, 2);
    react(category, handle);
    await until(async () => (await checkpoint(category)) >= later);
    expect(seen).toEqual([0, 1, 2, 3, 4]);
  });

  it('goes on in another process whenever its leadership is lost: nothing is passed over or comes out of order', async () => {
    const category = newCategory();
    const other = await openTallies(embedded.database.url);
    const reacted: number[][] = [];
    for (const [each, its] of [
      [database, store],
      [other, embedded.connect()],
    ] as const) {
      const seen: number[] = [];
      reacted.push(seen);
      const handle = async (stored: StoredEvent) => void seen.push(numberOf(stored));
      const reactor = { name: category, lock: 'firing', categories: [category], react: handle } as const;
      running.push(new Reactors(each, its).run(reactor, stop.signal));
    }
    for (let n = 0; n < 60; n += 1) {
      await appendCounted(store, `${category}-a`, n, 1);
      await until(() => reacted.flat().includes(n));
      if (n % 20 === 19)
        await database.query(
          `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 7265006 AND granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        );
    }
    stop.abort();
    await Promise.all(running.splice(0));
    await other.close();
    for (const seen of reacted) {
      const leads = seen.flatMap((n, index) => (index > 0 && n !== (seen[index - 1] ?? 0) + 1 ? [index] : []));
      // An event out of turn marks a new lead, which begins at the checkpoint.
      expect(leads.length).toBeLessThanOrEqual(3);
    }
    expect(new Set(reacted.flat()).size).toBe(60);
  });

  it('gets events again when it throws: each at least once, those of a stream in order and one at a time', async () => {
    const category = newCategory();
    const seen = new Map<string, number[]>();
    const busy = new Set<string>();
    const overtaken: string[] = [];
    let failures = 0;
    await appendCounted(store, `${category}-a`, 0, 3);
    const last = await appendCounted(store, `${category}-b`, 0, 3);
    react(category, async (stored) => {
      if (busy.has(stored.stream)) overtaken.push(stored.stream);
      busy.add(stored.stream);
      // The other stream is still being handled when this one fails.
      await sleep(stored.stream.endsWith('b') ? 150 : 5);
      busy.delete(stored.stream);
      if (stored.stream.endsWith('a') && numberOf(stored) === 1 && (failures += 1) <= 2) throw new Error('not now');
      seen.set(stored.stream, [...(seen.get(stored.stream) ?? []), numberOf(stored)]);
    });
    await until(async () => (await checkpoint(category)) >= last);
    expect([failures, overtaken]).toEqual([3, []]);
    for (const name of ['a', 'b']) {
      const numbers = seen.get(`${category}-${name}`) ?? [];
      expect(new Set(numbers)).toEqual(new Set([0, 1, 2]));
      expect(numbers.every((n, index) => n <= (numbers[index - 1] ?? -1) + 1)).toBe(true);
      expect(numbers.at(-1)).toBe(2);
    }
  });

  it('is told of by its name while it cannot get past an event', async () => {
    const category = newCategory();
    let isBroken = true;
    await appendCounted(store, `${category}-a`, 0, 1);
    react(category, async () => {
      if (isBroken) throw new Error('never');
    });
    await patiently('the trouble', async () => store.stuck.has(category) || null);
    isBroken = false;
    await patiently('its end', async () => (store.stuck.has(category) ? null : true));
  });

  it('is told of as well where PostgreSQL ends its statement each time, and not where PostgreSQL is away', async () => {
    const [category, cutOff] = [newCategory(), newCategory()];
    const proxy = await startPostgresProxy(embedded.database.url);
    const limits = { poolSize: 1, rows: [], migrations: [], timeoutMs: 100 };
    const hasty = await Database.connect({ ...limits, url: embedded.database.url });
    const away = await Database.connect({ ...limits, url: proxy.url });
    await proxy.close();
    let asked = 0;
    await appendCounted(store, `${category}-a`, 0, 1);
    await appendCounted(store, `${cutOff}-a`, 0, 1);
    const slow = react(category, async () => void (await hasty.query('SELECT pg_sleep(60)')));
    await patiently('the trouble', async () => store.stuck.has(category) || null);
    slow.abort();
    react(cutOff, async () => {
      asked += 1;
      await away.query('SELECT 1');
    });
    await patiently('more tries than that takes', async () => asked > 7 || null);
    expect(store.stuck.has(cutOff)).toBe(false);
    await Promise.all([hasty.close(), away.close()]);
  });

  it('writes its checkpoint with those of all others: once for what comes in a moment, and as it stops', async () => {
    const names = [newCategory(), newCategory(), newCategory()];
    const ends = new Map<string, number>();
    const seen = new Map<string, number>();
    const statements = jest.spyOn(database, 'query');
    const own = names.map((name, index) =>
      react(
        name,
        async (stored) => void seen.set(name, numberOf(stored)),
        (['watchdog', 'copies', 'firing'] as const)[index],
      ),
    );
    for (let n = 0; n < 20; n += 1) {
      for (const name of names) ends.set(name, await appendCounted(store, `${name}-a`, n, 1));
      await until(() => Promise.resolve(names.every((name) => seen.get(name) === n)));
    }
    for (const each of own) each.abort();
    await Promise.all(running.splice(0));
    expect(await Promise.all(names.map(checkpoint))).toEqual(names.map((name) => ends.get(name)));
    const written = statements.mock.calls.filter(([text]) => text.includes('INTO reactor_checkpoints'));
    expect(written.length).toBeLessThan(20);
    statements.mockRestore();
  });

  it('makes up for a stream that is whole again, however many others are not', async () => {
    const category = newCategory();
    const streams = Array.from({ length: 120 }, (_, n) => `${category}-${String(n).padStart(3, '0')}`);
    const whole = new Set<string>();
    const seen: string[] = [];
    const handle = async ({ stream }: StoredEvent) => {
      if (!whole.has(stream)) throw new DamagedStream(stream, 'deleted');
      seen.push(stream);
    };
    let position = 0;
    for (const stream of streams) position = await appendCounted(store, stream, 0, 1);
    const first = react(category, handle);
    await until(async () => (await checkpoint(category)) >= position);
    first.abort();
    await Promise.all(running.splice(0));
    const [mended = ''] = streams.slice(-1);
    whole.add(mended);
    react(category, handle); // a new leader tries waiting reactions at once
    await patiently('the reaction', async () => seen.length > 0 || null);
    expect(seen).toEqual([mended]);
  });

  it('makes up for others while one of those that were postponed fails, and postpones no more of theirs', async () => {
    const category = newCategory();
    const [poisoned, ...others] = ['a', 'b', 'c'].map((name) => `${category}-${name}`);
    let isWhole = false;
    const seen: string[] = [];
    const handle = async ({ stream, revision }: StoredEvent) => {
      if (!isWhole) throw new DamagedStream(stream, 'deleted');
      if (stream === poisoned) throw new Error('never');
      seen.push(`${stream} ${revision}`);
    };
    let position = 0;
    for (const stream of [poisoned, ...others]) position = await appendCounted(store, stream ?? '', 0, 1);
    const first = react(category, handle);
    await until(async () => (await checkpoint(category)) >= position);
    first.abort();
    await Promise.all(running.splice(0));
    isWhole = true;
    react(category, handle); // a new leader tries waiting reactions at once
    await patiently('the trouble', async () => store.stuck.has(`${category} (postponed)`) || null);
    for (const stream of others) await appendCounted(store, stream, 1, 1);
    await patiently('the reactions', async () => seen.length === 4 || null);
    expect(seen.toSorted()).toEqual(others.flatMap((stream) => [`${stream} 0`, `${stream} 1`]));
  });

  it('keeps what it postponed of a stream that reads as new now, since its events were hidden unseen', async () => {
    const category = newCategory();
    const stream = `${category}-a`;
    let isWhole = false;
    const seen: number[] = [];
    const handle = async (stored: StoredEvent) => {
      if (!isWhole) throw new DamagedStream(`${category}-b`, 'deleted');
      seen.push(numberOf(stored));
    };
    const rows = () =>
      database.query<{ stream: string }>('SELECT stream FROM postponed_reactions WHERE reactor = $1', [category]);
    const position = await appendCounted(store, stream, 0, 1);
    const first = react(category, handle);
    await until(async () => (await checkpoint(category)) >= position);
    first.abort();
    await Promise.all(running.splice(0));
    isWhole = true;
    await store.client.setStreamMetadata(stream, { truncateBefore: 1 });
    const second = react(category, handle); // a new leader tries waiting reactions at once
    await until(async () => store.damaged.of(stream) !== null || (await rows()).length === 0);
    expect([await rows(), seen]).toEqual([[{ stream }], []]);
    second.abort();
    await Promise.all(running.splice(0));
    await store.client.setStreamMetadata(stream, {});
    store.damaged.remove(stream);
    react(category, handle);
    await patiently('the reaction', async () => seen.length > 0 || null);
    await patiently('the end of the row', async () => (await rows()).length === 0 || null);
  });

  it('makes up for nothing in a lead that could not begin', async () => {
    const category = newCategory();
    let isWhole = false;
    let tries = 0;
    const handle = async ({ stream }: StoredEvent) => {
      if (!isWhole) throw new DamagedStream(stream, 'deleted');
      tries += 1;
      await sleep(2_000, undefined, { signal: stop.signal }).catch(() => undefined); // aborted: the test ends
    };
    const position = await appendCounted(store, `${category}-a`, 0, 1);
    const first = react(category, handle);
    await until(async () => (await checkpoint(category)) >= position);
    first.abort();
    await Promise.all(running.splice(0));
    isWhole = true;
    const reads = jest.spyOn(reactors.checkpoints, 'read').mockRejectedValueOnce(new Unavailable('database'));
    react(category, handle);
    await patiently('another lead', async () => reads.mock.calls.length === 2 || null);
    await sleep(300);
    expect(tries).toBe(1);
    reads.mockRestore();
  });

  it('never moves its checkpoint back', async () => {
    const category = newCategory();
    await database.query('INSERT INTO reactor_checkpoints VALUES ($1, 999999999)', [category]);
    await database.query('UPDATE reactor_checkpoints SET position = 1 WHERE name = $1', [category]);
    react(category, async () => {
      await database.query('UPDATE reactor_checkpoints SET position = 999999999 WHERE name = $1', [category]);
    });
    await appendCounted(store, `${category}-a`, 0, 1);
    await until(async () => (await checkpoint(category)) === 999_999_999);
    await sleep(50);
    expect(await checkpoint(category)).toBe(999_999_999);
  });
});
