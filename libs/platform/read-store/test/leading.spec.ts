import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@app/testing/event-store';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { startPostgresProxy } from '@app/testing/stores';
import { until as patiently } from '@app/testing/until';
import { type Database, keepLeading } from '../src';
import { LeaderSession } from '../src/leading/leader-session';
import { openTallies } from './tally';

let test: TestDatabase;
let database: Database;
let stop: AbortController;
const running: Promise<void>[] = [];
beforeAll(async () => {
  Logger.overrideLogger(false);
  test = await createTestDatabase();
  database = await openTallies(test.url);
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
  await test.drop();
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
      // The ping: from now on the leader receives nothing, not even the end of its session.
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
    // Among two in one process, only one leads as well.
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
      await sleep(1_500); // longer than usually expected, and far less than the patience
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
