import { Logger } from '@nestjs/common';
import { Probe, type ProbePoint } from '@app/runtime';
import { v7 as uuidV7 } from 'uuid';
import { counted } from '@app/testing/deciders';
import { until } from '@app/testing/event-store';
import { ProjectedTallies } from './projected';

let stage: ProjectedTallies;
beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(true));
beforeEach(async () => {
  stage = await ProjectedTallies.start();
});
afterEach(() => stage.stop());

describe('the runner', () => {
  it('of two processes one leads; another takes over when its connection is killed, and when it stops', async () => {
    const id = uuidV7();
    const both = [stage.started(), stage.started()];
    await stage.projected(await stage.append(id, counted(1)));
    const leaders = () => both.filter(({ positions }) => positions.size > 0);
    expect(leaders()).toHaveLength(1);
    const held = `SELECT l.pid FROM pg_locks l JOIN pg_database d ON d.oid = l.database
      WHERE d.datname = current_database() AND locktype = 'advisory' AND granted`;
    const [before] = await stage.database.query<{ pid: number }>(held);
    await stage.database.query('SELECT pg_terminate_backend($1)', [before?.pid]);
    await stage.projected(await stage.append(id, counted(2)));
    // The previous leader may have projected it before it learned that it no longer leads.
    await until(async () => (await stage.database.query<{ pid: number }>(held)).some(({ pid }) => pid !== before?.pid));
    await until(() => leaders().length === 1);
    await leaders()[0]?.stop();
    await stage.projected(await stage.append(id, counted(4)));
    expect(await stage.rowOf(id)).toMatchObject({ total: 7 });
  });

  it('is fenced by its checkpoint: two at once neither lose nor double an event', async () => {
    const ids = [uuidV7(), uuidV7(), uuidV7()];
    const stop = new AbortController();
    // Bypasses the lock: each considers itself the leader, and starts over whenever the other was faster.
    const loops = [stage.runner(), stage.runner()].map(async (each) => {
      while (!stop.signal.aborted) await each['lead']({ count: 1, held: [0] }, stop.signal);
    });
    let last = 0;
    for (let n = 1; n <= 60; n += 1) last = await stage.append(ids[n % 3] ?? '', counted(n));
    await stage.projected(last);
    stop.abort();
    await Promise.all(loops);
    const totals = await stage.database.query<{ total: number }>('SELECT sum(total)::int AS total FROM tallies');
    expect([totals, await stage.counters()]).toEqual([[{ total: 1_830 }], { 'tallies/all': 3 }]);
  });

  it('writes nothing of a batch whose checkpoint was moved, and goes on from where it is', async () => {
    const [before, skipped, after] = [uuidV7(), uuidV7(), uuidV7()];
    stage.started();
    await stage.projected(await stage.append(before, counted(1)));
    await stage.database.query('UPDATE read_model_places SET position = position + 1');
    const position = await stage.append(skipped, counted(2));
    await stage.append(after, counted(3));
    await until(async () => (await stage.rowOf(after)) !== undefined);
    expect(await stage.rowOf(skipped)).toBeUndefined();
    expect(await stage.rowOf(after)).toMatchObject({ total: 3, position: position + 1 });
    expect(await stage.counters()).toEqual({ 'tallies/all': 2 });
  });

  it('gets over a commit whose answer was lost', async () => {
    const id = uuidV7();
    let lost = 0;
    class LoseOnce extends Probe {
      override reached(point: ProbePoint): void {
        if (point === 'projection:after-commit' && (lost += 1) === 1) throw new Error('the answer was lost');
      }
    }
    stage.started({ probe: new LoseOnce() });
    await stage.projected(await stage.append(id, counted(1)));
    await stage.projected(await stage.append(id, counted(2)));
    expect([await stage.rowOf(id), lost > 1]).toEqual([expect.objectContaining({ total: 3 }), true]);
  });

  it('goes on after a restart without applying anything twice', async () => {
    const id = uuidV7();
    const first = stage.started();
    await stage.projected(await stage.append(id, counted(1)));
    await first.stop();
    const position = await stage.append(id, counted(2));
    stage.started();
    await stage.projected(position);
    expect(await stage.rowOf(id)).toMatchObject({ total: 3, position });
  });

  it('says how far the read models are behind', async () => {
    const id = uuidV7();
    const slow = stage.started();
    await stage.projected(await stage.append(uuidV7(), counted(1)));
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let locking = Promise.resolve();
    await new Promise<void>((locked) => {
      locking = stage.database.transaction(async (manager) => {
        await manager.query('LOCK TABLE tallies');
        locked();
        await held;
      });
    });
    const position = await stage.append(id, counted(1), counted(2));
    await until(() => (slow.lag?.ms ?? 0) > 20);
    expect(slow.lag?.positions).toBeGreaterThan(0);
    release();
    await locking;
    await stage.projected(position);
    await until(() => slow.lag?.ms === 0 && slow.lag.positions === 0);
    await slow.stop();
    expect(slow.lag).toBeNull();
  });
});
