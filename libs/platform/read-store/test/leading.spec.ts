import { Logger } from '@nestjs/common';
import { encodeEvent, type EventStore, type StoredEvent } from '@app/event-store';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidV7 } from 'uuid';
import { counted, counterKind, someCause } from '@app/testing/deciders';
import { EmbeddedStore, until } from '@app/testing/event-store';
import { startPostgresProxy } from '@app/testing/stores';
import { until as patiently } from '@app/testing/until';
import { Database, keepLeading, runReactor } from '../src';
import { LeaderSession } from '../src/leader-session';
import { openTallies } from './tally';

let embedded: EmbeddedStore;
let store: EventStore;
let database: Database;
let stop: AbortController;
const running: Promise<void>[] = [];
beforeAll(async () => {
  Logger.overrideLogger(false);
  embedded = await EmbeddedStore.start();
  store = embedded.connect();
  database = await openTallies(embedded.database.url);
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

const leaderPids = async () =>
  (
    await database.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'parley leader' AND datname = current_database() ORDER BY pid`,
    )
  ).map(({ pid }) => pid);

describe('keepLeading', () => {
  /** Leads until the lead is lost, and counts. */
  function candidate(session = new LeaderSession(database.url), lock: 'segments' | 'watchdog' | 'firing' = 'segments') {
    const seen = { led: 0, leading: false };
    const body = async (signal: AbortSignal) => {
      Object.assign(seen, { led: seen.led + 1, leading: true });
      await sleep(60_000, undefined, { signal }).catch(() => undefined); // the lead is over
      seen.leading = false;
    };
    running.push(keepLeading(session, lock, stop.signal, body));
    return seen;
  }

  it('lets one lead at a time, and another when its connection is gone', async () => {
    const candidates = [candidate(), candidate(), candidate()];
    const leading = () => candidates.filter((each) => each.leading).length;
    await until(() => leading() === 1);
    await sleep(700);
    expect([leading(), candidates.reduce((sum, { led }) => sum + led, 0)]).toEqual([1, 1]);
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 7265003 AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    await until(() => candidates.reduce((sum, { led }) => sum + led, 0) === 2);
    expect(leading()).toBe(1);
  });

  it('gives up the lead when PostgreSQL is silent, as another process leads by then', async () => {
    const proxy = await startPostgresProxy(database.url);
    try {
      const cutOff = candidate(new LeaderSession(proxy.url));
      await until(() => cutOff.leading);
      const next = candidate();
      // The ping: from now on the leader hears nothing, not even the end of its session.
      proxy.silence('SELECT 1');
      await patiently('the end of the lead', async () => (cutOff.leading ? null : true));
      await patiently('the next lead', async () => (next.leading ? true : null));
    } finally {
      await proxy.close();
    }
  });

  it('keeps one connection while it waits', async () => {
    candidate();
    candidate();
    await until(async () => (await leaderPids()).length === 2);
    const before = await leaderPids();
    await sleep(1_000);
    expect(await leaderPids()).toEqual(before);
  });

  it('keeps one connection for all that a process leads, and loses all with it', async () => {
    const [one, other] = [new LeaderSession(database.url), new LeaderSession(database.url)];
    const first = [candidate(one, 'segments'), candidate(one, 'watchdog')];
    await until(() => first.every(({ leading }) => leading));
    const [pid, ...more] = await leaderPids();
    expect(more).toEqual([]);
    // Of two in one process, too, one leads.
    const next = [candidate(one, 'segments'), candidate(other, 'segments'), candidate(other, 'watchdog')];
    await until(async () => (await leaderPids()).length === 2);
    await sleep(700);
    expect(next.map(({ led }) => led)).toEqual([0, 0, 0]);
    await database.query('SELECT pg_terminate_backend($1)', [pid]);
    await until(() => first.every(({ leading }) => !leading));
    const all = [...first, ...next];
    await until(() => all.filter(({ leading }) => leading).length === 2);
    await until(async () => (await leaderPids()).length === 2);
  });

  it('lets one lock go while it keeps another', async () => {
    const session = new LeaderSession(database.url);
    const kept = candidate(session, 'watchdog');
    const own = new AbortController();
    let done = false;
    const body = async () => void own.abort();
    await until(() => kept.leading);
    running.push(keepLeading(session, 'segments', own.signal, body).then(() => void (done = true)));
    await until(() => done);
    const next = candidate();
    await until(() => next.leading);
    expect(kept).toEqual({ led: 1, leading: true });
  });

  it('keeps what it leads while another lock is given back slowly, and loses all when there is no answer', async () => {
    const proxy = await startPostgresProxy(database.url);
    const patience = 120_000;
    try {
      const session = new LeaderSession(proxy.url, patience);
      const kept = candidate(session, 'watchdog');
      await until(() => kept.leading);
      const leadOnce = async () => {
        const own = new AbortController();
        await keepLeading(session, 'segments', own.signal, async () => own.abort());
      };
      const hold = proxy.hold('pg_advisory_unlock');
      const slow = leadOnce();
      await patiently('the word that the lock is free', async () => hold.isHolding() || null);
      await sleep(1_500); // longer than anybody would expect, and far less than the patience
      hold.release();
      await slow;
      expect(kept).toEqual({ led: 1, leading: true });

      const impatient = new LeaderSession(proxy.url, 1_000);
      const lost = candidate(impatient, 'firing');
      await until(() => lost.leading);
      proxy.silence('pg_advisory_unlock');
      const own = new AbortController();
      await keepLeading(impatient, 'copies', own.signal, async () => own.abort());
      await patiently('the end of the lead', async () => (lost.leading ? null : true));
    } finally {
      await proxy.close();
    }
  });

  it('starts over when the body throws, and ends with its signal', async () => {
    let attempts = 0;
    const body = async () => {
      attempts += 1;
      throw new Error('broken');
    };
    running.push(keepLeading(database.leaderSession, 'segments', stop.signal, body));
    await until(() => attempts === 2);
    stop.abort();
    await Promise.all(running.splice(0));
    await until(async () => (await leaderPids()).length === 0);
  });
});

describe('a reactor', () => {
  async function append(stream: string, first: number, count: number): Promise<number> {
    const events = Array.from({ length: count }, (_, n) => encodeEvent(counterKind, counted(first + n), someCause()));
    const appended = await store.append(stream, events, first - 1);
    if (appended.kind === 'conflict') throw new Error('conflict');
    return appended.position;
  }

  const numberOf = ({ payload }: StoredEvent) => Number(payload['n']);
  const newCategory = () => `t${uuidV7().replaceAll('-', '')}`;
  const checkpoint = async (name: string) =>
    (await database.query<{ position: number }>('SELECT position FROM reactor_checkpoints WHERE name = $1', [name]))[0]
      ?.position ?? 0;

  function react(category: string, handle: (stored: StoredEvent) => Promise<void>): AbortController {
    const own = new AbortController();
    const reactor = { name: category, lock: 'watchdog', categories: [category], react: handle } as const;
    running.push(runReactor(database, store, reactor, AbortSignal.any([stop.signal, own.signal])));
    return own;
  }

  it('goes on from its checkpoint after a restart', async () => {
    const category = newCategory();
    const seen: number[] = [];
    const handle = async (stored: StoredEvent) => void seen.push(numberOf(stored));
    const first = react(category, handle);
    const position = await append(`${category}-a`, 0, 3);
    await until(async () => (await checkpoint(category)) >= position);
    first.abort();
    await Promise.all(running.splice(0));
    const later = await append(`${category}-a`, 3, 2);
    react(category, handle);
    await until(async () => (await checkpoint(category)) >= later);
    expect(seen).toEqual([0, 1, 2, 3, 4]);
  });

  it('gets events again when it throws: each at least once, those of a stream in order and one at a time', async () => {
    const category = newCategory();
    const seen = new Map<string, number[]>();
    const busy = new Set<string>();
    const overtaken: string[] = [];
    let failures = 0;
    await append(`${category}-a`, 0, 3);
    const last = await append(`${category}-b`, 0, 3);
    react(category, async (stored) => {
      if (busy.has(stored.stream)) overtaken.push(stored.stream);
      busy.add(stored.stream);
      // The other stream is still at work when this one fails.
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
    await append(`${category}-a`, 0, 1);
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
    await append(`${category}-a`, 0, 1);
    await append(`${cutOff}-a`, 0, 1);
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

  it('never moves its checkpoint back', async () => {
    const category = newCategory();
    await database.query('INSERT INTO reactor_checkpoints VALUES ($1, 999999999)', [category]);
    await database.query('UPDATE reactor_checkpoints SET position = 1 WHERE name = $1', [category]);
    react(category, async () => {
      await database.query('UPDATE reactor_checkpoints SET position = 999999999 WHERE name = $1', [category]);
    });
    await append(`${category}-a`, 0, 1);
    await until(async () => (await checkpoint(category)) === 999_999_999);
    await sleep(50);
    expect(await checkpoint(category)).toBe(999_999_999);
  });
});
