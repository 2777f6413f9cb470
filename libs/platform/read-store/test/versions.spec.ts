import { Logger } from '@nestjs/common';
import { Unavailable } from '@app/kernel';
import { counted } from '@app/testing/deciders';
import { until } from '@app/testing/event-store';
import { v7 as uuidV7 } from 'uuid';
import { projectedTo, rebuilt, RebuiltTallies, type ProgramOnStage } from './rebuilt';
import { notes, tallies } from './tally';

let stage: RebuiltTallies;
let old: ProgramOnStage;
beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(true));
beforeEach(async () => {
  stage = await RebuiltTallies.start();
  old = await stage.program();
});
afterEach(() => stage.stop());

const [one, other] = [uuidV7(), uuidV7()];

/** The tallies of another version of the code. */
const doubled: typeof tallies = {
  ...tallies,
  version: 2,
  project: (row, recorded) => {
    const next = tallies.project(row, recorded);
    return next && { ...next, lastNote: 'of version 2' };
  },
};

const noteOf = async ({ database }: ProgramOnStage, id: string) => {
  const rows = await database.query<{ note: string }>('SELECT last_note AS note FROM {tallies} WHERE id = $1', [id]);
  return rows[0]?.note;
};

/** Resolves once the program reads a table of its own version. */
const hasOwn = (program: ProgramOnStage) =>
  until(async () => {
    await program.database.tables.look();
    return program.database.tables.missing.length === 0;
  });

describe('another version of a projection', () => {
  it('is built beside the live one, which goes on being followed, and is read once it has caught up', async () => {
    await projectedTo(old, await stage.append(one, counted(1)));
    const next = await stage.program([doubled, notes]);
    await until(async () => (await next.rebuilds.list()).length === 1);
    await next.database.tables.look();
    await expect(noteOf(next, one)).rejects.toThrow(Unavailable);
    expect(next.database.tables.missing).toEqual(['tallies']);
    expect(await noteOf(old, one)).toBe('note 1');
    // Its position, and its distance to the end.
    const end = (await old.states.list())[0]?.position ?? 0;
    for (const position of [1, 0]) {
      await next.database.query(`UPDATE read_model_places SET position = $1 WHERE table_name = 'tallies_2'`, [
        position,
      ]);
      const building = { state: 'building', table: null, position, lag: { positions: end - position, seconds: 0 } };
      expect((await next.states.list())[0]).toMatchObject(building);
    }
    next.rebuilder();
    await hasOwn(next);
    expect([await noteOf(next, one), await noteOf(old, one)]).toEqual(['of version 2', 'note 1']);
    // Both programs continue, each with its own table, and with a shared one for what is the same in both.
    await projectedTo(old, await stage.append(other, counted(7)));
    expect([await noteOf(next, other), await noteOf(old, other)]).toEqual(['of version 2', 'note 7']);
    const tables = await old.database.query(
      'SELECT table_name AS name, version, state FROM read_model_tables ORDER BY 1',
    );
    expect(tables).toEqual([
      { name: 'notes', version: 1, state: 'live' },
      { name: 'tallies', version: 1, state: 'live' },
      { name: 'tallies_2', version: 2, state: 'live' },
    ]);
  });

  it('takes over what the program before leaves, whose own table is kept for an hour, and can come back', async () => {
    await projectedTo(old, await stage.append(one, counted(1)));
    const next = await stage.program([doubled, notes]);
    next.rebuilder();
    await hasOwn(next);
    await old.runner.stop();
    await until(async () => (await next.database.tables.look(), next.database.tables.followers.size === 1));
    await until(async () => {
      const kept = await next.database.query(`SELECT 1 FROM read_model_tables WHERE state = 'kept'`);
      return kept.length === 1;
    });
    await stage.append(other, counted(7));
    await until(async () => (await noteOf(next, other)) === 'of version 2');
    const back = await stage.program();
    await hasOwn(back);
    await until(async () => (await noteOf(back, other)) === 'note 7');
  });
});

describe('an event that a projection cannot apply', () => {
  const poison = { ...counted(3_000_000_000), note: 'too much for an integer' };

  it('stops that projection alone, at that event, until it is passed over; which stays known', async () => {
    const before = await stage.append(one, counted(1), counted(2));
    await projectedTo(old, before);
    await stage.append(other, counted(5), poison, counted(6));
    const last = await stage.append(one, counted(3));
    await until(() => old.runner.stalled.length === 1);
    const stateOf = async (name: string) => (await old.states.list()).find((state) => state.name === name);
    expect(await stateOf('tallies')).toMatchObject({
      state: 'stalled',
      stalled: { stream: `counter-${other}`, revision: 1, error: expect.stringContaining('out of range') },
    });
    await until(async () => ((await stateOf('notes'))?.position ?? 0) >= last);
    expect(await old.database.query('SELECT total FROM tallies ORDER BY total')).toEqual([{ total: 3 }, { total: 5 }]);

    const event = { stream: `counter-${other}`, revision: 1 };
    expect(await old.states.skip('tallies', { ...event, revision: 0 }, 'wrong one')).toMatchObject({ kind: 'refused' });
    expect(await old.states.skip('tallies', event, 'a typing error')).toEqual({ kind: 'done' });
    expect(await old.states.skip('tallies', event, 'a typing error')).toEqual({ kind: 'done' });
    await until(async () => ((await stateOf('tallies'))?.position ?? 0) >= last);
    expect(await old.database.query('SELECT total FROM tallies ORDER BY total')).toEqual([{ total: 6 }, { total: 11 }]);
    expect(await old.states.skipped()).toMatchObject([{ projection: 'tallies', ...event, reason: 'a typing error' }]);
    // A table that is built later skips it, too.
    old.rebuilder();
    expect(await rebuilt(old)).toMatchObject({ state: 'ready', differences: { missing: 0, extra: 0, changed: 0 } });
  });

  it('ends a rebuild, which names it, and changes nothing else', async () => {
    const position = await stage.append(one, counted(1), counted(2));
    await projectedTo(old, position);
    const strict: typeof tallies = {
      ...tallies,
      project: (row, recorded) => {
        if (recorded.event.type === 'counter.counted' && recorded.event.n === 2) throw new Error('not two');
        return tallies.project(row, recorded);
      },
    };
    await old.runner.stop();
    const program = await stage.program([strict, notes]);
    program.rebuilder();
    const { state, error } = await rebuilt(program);
    expect([state, error]).toEqual(['failed', `event 1 of counter-${one}: Error: not two`]);
    await until(async () => (await old.database.query('SELECT 1 FROM read_model_tables')).length === 2);
    expect(await noteOf(program, one)).toBe('note 2');
  });
});
