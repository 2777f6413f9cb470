import { Logger } from '@nestjs/common';
import { Probe, type ProbePoint } from '@app/runtime';
import { counted, type CounterEvent } from '@app/testing/deciders';
import { until } from '@app/testing/event-store';
import { Client } from 'pg';
import { v7 as uuidV7 } from 'uuid';
import { closed } from './projected';
import { atRest, projectedTo, rebuilt, RebuiltTallies, type ProgramOnStage } from './rebuilt';

let stage: RebuiltTallies;
let program: ProgramOnStage;
beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(true));
beforeEach(async () => {
  stage = await RebuiltTallies.start();
  program = await stage.program();
});
afterEach(() => stage.stop());

const ids = Array.from({ length: 7 }, () => uuidV7());
const none = { missing: 0, extra: 0, changed: 0 };

/** Appends some events of each counter. @returns the position of the last one */
async function lived(times = 3): Promise<number> {
  let last = 0;
  for (let n = 1; n <= times; n += 1)
    for (const [index, id] of ids.entries()) {
      const events: CounterEvent[] =
        index === 3 && n === times ? [counted(n), closed] : [counted(n), counted(-index - 1)];
      last = await stage.append(id, ...events);
    }
  await projectedTo(program, last);
  return last;
}

const rowsOf = (table: string) => program.database.query(`SELECT * FROM ${table} ORDER BY 1`);
const countersOf = async (table: string) =>
  program.database.query(
    `SELECT substr(name, length($1) + 2) AS name, total FROM list_counters WHERE projection = $1 AND total <> 0 ORDER BY 1`,
    [table],
  );
const tableRead = async () => {
  await program.database.tables.look();
  return program.database.inTables('{tallies}');
};

describe('a rebuild', () => {
  it('comes to the rows, the counters and the indexes of the live table, and is compared with it at one position', async () => {
    const last = await lived();
    program.rebuilder();
    const { state, differences, comparedAt, table } = await rebuilt(program);
    expect([state, differences, table]).toEqual(['ready', expect.objectContaining(none), 'tallies_2']);
    expect(comparedAt).toBeGreaterThanOrEqual(last);
    expect(await rowsOf('tallies_2')).toEqual(await rowsOf('tallies'));
    expect(await countersOf('tallies_2')).toEqual(await countersOf('tallies'));
    const indexes = await program.database.query<{ definition: string }>(
      `SELECT pg_get_indexdef(indexrelid) AS definition FROM pg_index WHERE indrelid = 'tallies_2'::regclass ORDER BY 1`,
    );
    expect(indexes.map(({ definition }) => definition.slice(definition.indexOf('USING')))).toEqual([
      'USING btree (total DESC) WHERE (NOT closed)',
      'USING btree (id)',
    ]);
  });

  it('comes to its end where the newest events are of no read model, and nothing happens any more', async () => {
    const last = await lived(1);
    await stage.appendElsewhere(...Array.from({ length: 20 }, (_, n) => counted(n)));
    program.rebuilder();
    const { state, differences, comparedAt } = await rebuilt(program);
    expect([state, differences, comparedAt]).toEqual(['ready', expect.objectContaining(none), last]);
    await projectedTo(program, await stage.append(ids[0] ?? '', counted(9)));
    expect(await rowsOf('tallies_2')).toEqual(await rowsOf('tallies'));
  });

  it('goes on after a crash before and after any commit, and has no difference in the end', async () => {
    await lived(1);
    let reached = 0;
    class Crashing extends Probe {
      override reached(point: ProbePoint): void {
        if (point.startsWith('rebuild:') && (reached += 1) % 2 === 1) throw new Error(`crashed at ${point}`);
      }
    }
    program.rebuilder(new Crashing());
    const [of, ofNotes] = [rebuilt(program), rebuilt(program, 'notes')];
    for (let n = 1; n <= 6; n += 1) await stage.append(ids[n % 2] ?? '', counted(n));
    expect([await of, await ofNotes]).toMatchObject([
      { state: 'ready', differences: none },
      { state: 'ready', differences: none },
    ]);
    expect(reached).toBeGreaterThan(8);
  });

  it('is one at a time for each projection, on any replica, and can be asked for twice under one id', async () => {
    await lived(1);
    const id = uuidV7();
    const other = await stage.program();
    const answers = await Promise.all([
      program.rebuilds.start(id, 'tallies', 'first'),
      program.rebuilds.start(id, 'tallies', 'first'),
    ]);
    expect(answers).toEqual([{ kind: 'done' }, { kind: 'done' }]);
    expect(await other.rebuilds.start(uuidV7(), 'tallies', 'second')).toMatchObject({ kind: 'refused' });
    expect(await other.rebuilds.start(uuidV7(), 'nothing', 'none')).toEqual({ kind: 'not_found' });
    expect(await program.rebuilds.list()).toMatchObject([{ id, reason: 'first' }]);
    const both = [program.rebuilder(), other.rebuilder()];
    expect(await atRest(other.rebuilds, id)).toMatchObject({ state: 'ready', differences: none });
    expect(both).toHaveLength(2);
  });

  it('is discarded with its table, also while it is built', async () => {
    await lived(1);
    const id = uuidV7();
    await program.rebuilds.start(id, 'tallies', 'by mistake');
    expect(await program.rebuilds.discard(id)).toEqual({ kind: 'done' });
    program.rebuilder();
    const next = await rebuilt(program);
    expect([next.table, await program.rebuilds.discard(next.id)]).toEqual(['tallies_3', { kind: 'done' }]);
    await projectedTo(program, await stage.append(ids[0] ?? '', counted(5)));
    await until(async () => (await program.database.query('SELECT 1 FROM read_model_tables')).length === 2);
    expect(await program.rebuilds.list()).toMatchObject([{ state: 'discarded' }, { state: 'discarded' }]);
    expect(await program.database.query(`SELECT to_regclass('tallies_3')::text AS t`)).toEqual([{ t: null }]);
  });
});

describe('the pace of a rebuild', () => {
  const bursts = 12;
  const burstEvents = 50;
  const busyMs = 60;

  /** Keeps the event loop of this process busy for three quarters of the time. @returns a function that stops it */
  function beBusy(): () => void {
    const timer = setInterval(() => {
      const untilMs = performance.now() + busyMs;
      while (performance.now() < untilMs);
    }, busyMs / 3);
    return () => clearInterval(timer);
  }

  /** Appends without a pause until stopped. @returns a function that stops it */
  function beginAppends(): () => Promise<void> {
    let isOver = false;
    const appending = (async () => {
      while (!isOver) await stage.append(ids[4] ?? '', counted(1), counted(2));
    })();
    return async () => {
      isOver = true;
      await appending;
    };
  }

  it('is at least twice that of the appends, so that it ends while a busy process goes on appending', async () => {
    const events = Array.from({ length: burstEvents }, (_, n) => counted(n));
    for (let n = 0; n < bursts; n += 1) await stage.append(ids[n % 7] ?? '', ...events);
    const [stopAppending, rest] = [beginAppends(), beBusy()];
    try {
      program.rebuilder(new Probe(), 200);
      const { state, differences, target } = await rebuilt(program);
      expect([state, differences]).toEqual(['ready', expect.objectContaining(none)]);
      expect(target).toBeGreaterThan(bursts * burstEvents); // it moved with the head
    } finally {
      rest();
      await stopAppending();
    }
  });

  it('says when it will be there, that it cannot know, and that it comes no nearer', async () => {
    await lived(1);
    const id = uuidV7();
    await program.rebuilds.start(id, 'tallies', 'a test', 'full');
    expect(await program.rebuilds.find(id)).toMatchObject({ pace: 'full', etaSeconds: null, isNearing: true });
    const report = (approach: number, ago: string) =>
      program.database.query(
        `UPDATE read_model_rebuilds SET target = 100, approach_per_second = $2, nearest_at = now() - $3::interval WHERE id = $1`,
        [id, approach, ago],
      );
    await report(5, '1 second');
    expect(await program.rebuilds.find(id)).toMatchObject({ etaSeconds: 20, isNearing: true, target: 100 });
    await report(-5, '1 second');
    expect(await program.rebuilds.find(id)).toMatchObject({ etaSeconds: null, isNearing: true });
    await report(5, '31 seconds');
    expect(await program.rebuilds.find(id)).toMatchObject({ etaSeconds: null, isNearing: false });
    program.rebuilder();
    expect(await atRest(program.rebuilds, id)).toMatchObject({ state: 'ready', etaSeconds: null, isNearing: null });
  });
});

it('a session that reads a table which is no longer needed keeps nothing from being rebuilt', async () => {
  await lived(1);
  program.rebuilder();
  const { id } = await rebuilt(program);
  await program.rebuilds.switchOver(id, null);
  const reader = new Client({ connectionString: program.database.url });
  await reader.connect();
  try {
    await reader.query('BEGIN; SELECT * FROM tallies');
    await program.database.query(`UPDATE read_model_tables SET kept_until = now() WHERE state = 'kept'`);
    expect(await rebuilt(program, 'notes')).toMatchObject({ state: 'ready', differences: none });
  } finally {
    await reader.end();
  }
  await until(async () => (await rowsOf('tallies')).length === 0);
});

describe('differences', () => {
  it('are found and named: a row altered by hand, one removed, one too many, and what is counted', async () => {
    await lived();
    const [altered, removed, stray] = [ids[0], ids[1], '00000000-0000-4000-8000-000000000000'];
    const { database } = program;
    await database.query(`UPDATE tallies SET total = 99, last_note = 'by hand' WHERE id = $1`, [altered]);
    await database.query('DELETE FROM tallies WHERE id = $1', [removed]);
    await database.query(`INSERT INTO tallies VALUES ($1, 1, false, NULL, 1)`, [stray]);
    await database.query(`UPDATE list_counters SET total = 8 WHERE name = 'tallies/all'`);
    program.rebuilder();
    const { id, differences } = await rebuilt(program);
    expect(differences).toMatchObject({ missing: 1, extra: 1, changed: 2 });
    const found = await program.rebuilds.differences(id, 0, 100);
    const of = (key: string | undefined) =>
      found.filter((one) => one.key === key).map(({ column, live, rebuilt: is }) => [column, live, is]);
    expect(of(altered)).toEqual([
      ['total', '99', '6'],
      ['last_note', 'by hand', 'note 3'],
    ]);
    expect(of(removed)).toContainEqual(['total', null, '6']);
    expect(of(stray)).toContainEqual(['total', '1', null]);
    expect(of('counter all')).toEqual([['total', '8', '7']]);
    expect(await program.rebuilds.differences(id, found[1]?.number ?? 0, 1)).toEqual([found[2]]);
    // The same differences are found again, with the same digest.
    await program.rebuilds.discard(id);
    expect((await rebuilt(program)).differences).toEqual(differences);
  });

  it('have to be named by their digest, before what was rebuilt is switched to', async () => {
    await lived(1);
    await program.database.query('UPDATE tallies SET total = 99 WHERE id = $1', [ids[0]]);
    program.rebuilder();
    const { id, differences } = await rebuilt(program);
    expect(await program.rebuilds.switchOver(id, null)).toMatchObject({ kind: 'refused' });
    expect(await program.rebuilds.switchOver(id, 'another')).toMatchObject({ kind: 'refused' });
    expect(await tableRead()).toBe('tallies');
    expect(await program.rebuilds.switchOver(id, differences?.digest ?? '')).toEqual({ kind: 'done' });
    expect(await tableRead()).toBe('tallies_2');
  });
});

describe('a switch', () => {
  it('lets the other table be read at once and follows the old one, which can be read again', async () => {
    await lived();
    program.rebuilder();
    const { id } = await rebuilt(program);
    expect(await program.rebuilds.switchOver(id, null)).toEqual({ kind: 'done' });
    expect(await program.rebuilds.switchOver(id, null)).toEqual({ kind: 'done' });
    expect(await tableRead()).toBe('tallies_2');
    await projectedTo(program, await stage.append(ids[2] ?? '', counted(40)));
    expect(await rowsOf('tallies_2')).toEqual(await rowsOf('tallies'));
    expect(await program.rebuilds.rollBack(id)).toEqual({ kind: 'done' });
    expect([await tableRead(), (await program.rebuilds.find(id))?.state]).toEqual(['tallies', 'rolled_back']);
    await projectedTo(program, await stage.append(ids[2] ?? '', counted(41)));
    expect(await rowsOf('tallies_2')).toEqual(await rowsOf('tallies'));
    expect(await program.rebuilds.switchOver(id, null)).toMatchObject({ kind: 'refused' });
  });

  it('is final once the old table was kept for an hour; the first one stays, empty, for others to be made like it', async () => {
    await lived(1);
    program.rebuilder();
    const { id } = await rebuilt(program);
    await program.rebuilds.switchOver(id, null);
    await program.database.query(`UPDATE read_model_tables SET kept_until = now() WHERE state = 'kept'`);
    await until(async () => (await program.database.query('SELECT 1 FROM read_model_tables')).length === 2);
    expect([await rowsOf('tallies'), await countersOf('tallies')]).toEqual([[], []]);
    expect(await program.rebuilds.rollBack(id)).toMatchObject({ kind: 'refused' });
    await projectedTo(program, await stage.append(ids[2] ?? '', counted(40)));
    const again = await rebuilt(program);
    expect(again).toMatchObject({ table: 'tallies_3', state: 'ready', differences: none });
    await program.rebuilds.switchOver(again.id, null);
    await program.database.query(`UPDATE read_model_tables SET kept_until = now() WHERE state = 'kept'`);
    await until(async () => (await program.database.query('SELECT 1 FROM read_model_tables')).length === 2);
    expect(await program.database.query(`SELECT to_regclass('tallies_2')::text AS t`)).toEqual([{ t: null }]);
    expect(await tableRead()).toBe('tallies_3');
  });
});
