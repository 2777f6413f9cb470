import { Logger } from '@nestjs/common';
import { encodeEvent, type EventStore } from '@app/event-store';
import { Probe, type ProbePoint } from '@app/runtime';
import { v7 as uuidV7 } from 'uuid';
import { counted, type CounterEvent, counterKind, someCause } from '@app/testing/deciders';
import { EmbeddedStore, until } from '@app/testing/event-store';
import { ProjectionRunner, type Database } from '../src';
import { openTallies, tallies } from './tally';

let embedded: EmbeddedStore;
let store: EventStore;
let database: Database;
let runners: ProjectionRunner[];
beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(true));
beforeEach(async () => {
  embedded = await EmbeddedStore.start();
  store = embedded.connect();
  database = await openTallies(embedded.database.url);
  runners = [];
});
afterEach(async () => {
  for (const runner of runners) await runner.stop();
  await database.close();
  await embedded.stop();
});

const closed: CounterEvent = { type: 'counter.closed', at: counted(0).at };

async function append(id: string, ...events: CounterEvent[]): Promise<number> {
  const stream = `counter-${id}`;
  const encoded = events.map((event) => encodeEvent(counterKind, event, someCause()));
  const appended = await store.append(stream, encoded, await store.lastRevision(stream));
  if (appended.kind === 'conflict') throw new Error('the test appended twice at once');
  return appended.position;
}

const rowOf = async (id: string) => (await database.query('SELECT * FROM tallies WHERE id = $1', [id]))[0];
const counters = async () =>
  Object.fromEntries(
    (await database.query<{ name: string; total: number }>('SELECT name, total FROM list_counters')).map(
      ({ name, total }) => [name, total],
    ),
  );
const checkpoint = async () =>
  (
    await database.query<{ position: number; version: number }>('SELECT position, version FROM projection_checkpoints')
  )[0];

function runner({ projection = tallies, probe = new Probe() }: { projection?: typeof tallies; probe?: Probe } = {}) {
  const made = new ProjectionRunner(database, embedded.connect(), [projection], probe);
  runners.push(made);
  return made;
}

function started(options: { projection?: typeof tallies; probe?: Probe } = {}): ProjectionRunner {
  const made = runner(options);
  made.start();
  return made;
}

const projected = (position: number) => until(async () => ((await checkpoint())?.position ?? 0) >= position);

describe('the runner', () => {
  it('of two processes one leads; another takes over when its connection is killed, and when it stops', async () => {
    const id = uuidV7();
    const both = [started(), started()];
    await projected(await append(id, counted(1)));
    const leaders = () => both.filter(({ positions }) => positions.size > 0);
    expect(leaders()).toHaveLength(1);
    const held = `SELECT l.pid FROM pg_locks l JOIN pg_database d ON d.oid = l.database
      WHERE d.datname = current_database() AND locktype = 'advisory' AND objid = 7265002 AND granted`;
    const [before] = await database.query<{ pid: number }>(held);
    await database.query('SELECT pg_terminate_backend($1)', [before?.pid]);
    await projected(await append(id, counted(2)));
    // Who led may have projected it, before it heard that it leads no more.
    await until(async () => (await database.query<{ pid: number }>(held)).some(({ pid }) => pid !== before?.pid));
    await until(() => leaders().length === 1);
    await leaders()[0]?.stop();
    await projected(await append(id, counted(4)));
    expect(await rowOf(id)).toMatchObject({ total: 7 });
  });

  it('is fenced by its checkpoint: two at once neither lose nor double an event', async () => {
    const ids = [uuidV7(), uuidV7(), uuidV7()];
    const stop = new AbortController();
    // Past the lock: each takes itself for the leader, and starts over whenever the other was faster.
    const loops = [runner(), runner()].map(async (each) => {
      while (!stop.signal.aborted) await each['project'](stop.signal).catch(() => undefined);
    });
    let last = 0;
    for (let n = 1; n <= 60; n += 1) last = await append(ids[n % 3] ?? '', counted(n));
    await projected(last);
    stop.abort();
    await Promise.all(loops);
    const totals = await database.query<{ total: number }>('SELECT sum(total)::int AS total FROM tallies');
    expect([totals, await counters()]).toEqual([[{ total: 1_830 }], { 'tallies/all': 3 }]);
  });

  it('writes nothing of a batch whose checkpoint was moved, and goes on from where it is', async () => {
    const [before, skipped, after] = [uuidV7(), uuidV7(), uuidV7()];
    started();
    await projected(await append(before, counted(1)));
    await database.query('UPDATE projection_checkpoints SET position = position + 1');
    const position = await append(skipped, counted(2));
    await append(after, counted(3));
    await until(async () => (await rowOf(after)) !== undefined);
    expect(await rowOf(skipped)).toBeUndefined();
    expect(await rowOf(after)).toMatchObject({ total: 3, position: position + 1 });
    expect(await counters()).toEqual({ 'tallies/all': 2 });
  });

  it('gets over a commit whose answer was lost', async () => {
    const id = uuidV7();
    let lost = 0;
    class LoseOnce extends Probe {
      override reached(point: ProbePoint): void {
        if (point === 'projection:after-commit' && (lost += 1) === 1) throw new Error('the answer was lost');
      }
    }
    started({ probe: new LoseOnce() });
    await projected(await append(id, counted(1)));
    await projected(await append(id, counted(2)));
    expect([await rowOf(id), lost > 1]).toEqual([expect.objectContaining({ total: 3 }), true]);
  });

  it('goes on after a restart without applying anything twice', async () => {
    const id = uuidV7();
    const first = started();
    await projected(await append(id, counted(1)));
    await first.stop();
    const position = await append(id, counted(2));
    started();
    await projected(position);
    expect(await rowOf(id)).toMatchObject({ total: 3, position });
  });

  it('says how far the read models are behind', async () => {
    const id = uuidV7();
    const slow = started();
    await projected(await append(uuidV7(), counted(1)));
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let locking = Promise.resolve();
    await new Promise<void>((locked) => {
      locking = database.transaction(async (manager) => {
        await manager.query('LOCK TABLE tallies');
        locked();
        await held;
      });
    });
    const position = await append(id, counted(1), counted(2));
    await until(() => (slow.lag?.ms ?? 0) > 20);
    expect(slow.lag?.positions).toBeGreaterThan(0);
    release();
    await locking;
    await projected(position);
    await until(() => slow.lag?.ms === 0 && slow.lag.positions === 0);
    await slow.stop();
    expect(slow.lag).toBeNull();
  });

  it('empties and refills a read model whose version was raised', async () => {
    const id = uuidV7();
    const first = started();
    const position = await append(id, counted(1), counted(2), closed);
    await projected(position);
    await first.stop();
    const project: typeof tallies.project = (row, recorded) => {
      const next = tallies.project(row, recorded);
      return next && { ...next, lastNote: 'of version 2' };
    };
    await database.query(`INSERT INTO tallies VALUES ($1, 99, false, NULL, 1)`, [uuidV7()]);
    started({ projection: { ...tallies, version: 2, project } });
    await until(async () => (await checkpoint())?.version === 2 && (await checkpoint())?.position === position);
    expect(await database.query('SELECT * FROM tallies')).toEqual([
      { id, total: 3, closed: true, last_note: 'of version 2', position },
    ]);
    expect(await counters()).toEqual({ 'tallies/all': 1, 'tallies/closed': 1 });
  });
});
