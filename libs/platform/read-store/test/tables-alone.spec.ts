import { Logger } from '@nestjs/common';
import { counted } from '@app/testing/deciders';
import { until } from '@app/testing/until';
import { Client } from 'pg';
import { v7 as uuidV7 } from 'uuid';
import { atRest, rebuilt, RebuiltTallies, type ProgramOnStage } from './rebuilt';

/** Reasons why PostgreSQL refuses the rows of one table; each with the statement that ends it, and what a table created like it lacks. */
const reasons: readonly (readonly [name: string, begins: string, ends: string, alike: string | null])[] = [
  [
    'a trigger raises an exception',
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not today'; END $$;
     CREATE TRIGGER refusing BEFORE INSERT OR UPDATE ON tallies FOR EACH ROW EXECUTE FUNCTION refuse()`,
    'DROP TRIGGER refusing ON tallies',
    null,
  ],
  [
    'a constraint refuses its rows',
    'ALTER TABLE tallies ADD CONSTRAINT none CHECK (false) NOT VALID',
    'ALTER TABLE tallies DROP CONSTRAINT none',
    null,
  ],
  [
    'a column was renamed',
    'ALTER TABLE tallies RENAME COLUMN total TO sum',
    'ALTER TABLE tallies RENAME COLUMN sum TO total',
    'column "total"',
  ],
  [
    'the table was renamed',
    'ALTER TABLE tallies RENAME TO elsewhere',
    'ALTER TABLE elsewhere RENAME TO tallies',
    'relation "tallies" does not exist',
  ],
  [
    'a rule makes it a view that takes no rows',
    'CREATE RULE never AS ON INSERT TO tallies DO ALSO SELECT 1/0',
    'DROP RULE never ON tallies',
    null,
  ],
];

let stage: RebuiltTallies;
let program: ProgramOnStage;
let logged: jest.SpyInstance;
let warned: jest.SpyInstance;
beforeEach(async () => {
  logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
  warned = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  stage = await RebuiltTallies.start();
  program = await stage.program();
});
afterEach(async () => {
  await stage.stop();
  logged.mockRestore();
  warned.mockRestore();
});

const id = uuidV7();
const positionOf = async (table: string): Promise<number> => {
  const text = 'SELECT position FROM read_model_positions WHERE table_name = $1';
  return (await program.database.query<{ position: number }>(text, [table]))[0]?.position ?? 0;
};
const passed = (table: string, position: number) =>
  until(`${table} at ${position}`, async () => ((await positionOf(table)) >= position ? true : null));
const stalled = () =>
  until('the stall', async () => (program.runner.stalled.length > 0 ? program.runner.stalled : null));

/** The table alone is stalled, is named with the event, and continues by itself once the reason is gone. */
async function standsAlone(begin: () => Promise<unknown>, end: () => Promise<unknown>): Promise<void> {
  await passed('tallies', await stage.append(id, counted(1)));
  await begin();
  const refused = await stage.append(id, counted(2), counted(3));
  await passed('notes', refused);
  expect(await stalled()).toEqual(['tallies']);
  expect(await positionOf('tallies')).toBeLessThan(refused);
  expect(logged).toHaveBeenCalledWith(expect.stringContaining(`tallies is stalled at event 1 of counter-${id}`));
  const [of] = (await program.states.list()).filter(({ name }) => name === 'tallies');
  expect(of).toMatchObject({ state: 'stalled', stalled: { stream: `counter-${id}`, revision: 1 } });
  await passed('notes', await stage.append(id, counted(4)));
  await end();
  const last = await stage.append(id, counted(5));
  await passed('tallies', last);
  await until('nothing stands still', async () => (program.runner.stalled.length === 0 ? true : null));
  await passed('tallies', await stage.append(id, counted(6)));
  expect(await program.database.query('SELECT total FROM tallies')).toEqual([{ total: 21 }]);
}

/** Begins the reason, waits until the table is stalled at event 1, and starts a rebuilder. */
async function standsStill(begins: string): Promise<void> {
  await passed('tallies', await stage.append(id, counted(1)));
  await program.database.query(begins);
  await passed('notes', await stage.append(id, counted(2), counted(3)));
  expect(await stalled()).toEqual(['tallies']);
  program.rebuilder();
}

describe('a table that cannot be written stands still alone', () => {
  it.each(reasons)('where %s', async (_, begins, ends) => {
    await standsAlone(
      () => program.database.query(begins),
      () => program.database.query(ends),
    );
  });

  it.each(reasons.filter(([, , , alike]) => alike === null))(
    'and is replaced by a rebuilt one, where %s',
    async (_, begins) => {
      await standsStill(begins);
      const { id: rebuildId, ...of } = await rebuilt(program);
      const why = `not compared: tallies is stalled at event 1 of counter-${id}`;
      expect(of).toMatchObject({ state: 'ready', error: why, differences: null, comparedAt: null });
      expect(await program.rebuilds.switchOver(rebuildId, null)).toEqual({ kind: 'done' });
      await passed(of.table, await stage.append(id, counted(4)));
      await program.database.tables.look();
      expect(await program.database.query('SELECT total FROM {tallies}')).toEqual([{ total: 10 }]);
      expect(warned).toHaveBeenCalledWith(expect.stringContaining(why));
    },
  );

  it.each(reasons.flatMap(([name, begins, , alike]) => (alike === null ? [] : [[name, begins, alike] as const])))(
    'and its rebuild fails by name, since it is made alike, where %s; others are rebuilt',
    async (_, begins, says) => {
      await standsStill(begins);
      expect(await rebuilt(program)).toMatchObject({ state: 'failed', error: expect.stringContaining(says) });
      expect(await rebuilt(program, 'notes')).toMatchObject({ state: 'ready', error: null });
    },
  );

  it('and is as far behind as the event is old at which it stands, from the beginning', async () => {
    await passed('tallies', await stage.append(id, counted(1)));
    const holder = new Client({ connectionString: program.database.url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE tallies IN ACCESS EXCLUSIVE MODE');
    const appendedAtMs = Date.now();
    await stage.append(id, counted(2));
    await stalled();
    // It waited for the lock before it was known to be stalled.
    const ageMs = Date.now() - appendedAtMs;
    expect(program.runner.stalledLags.get('tallies')?.ms).toBeGreaterThan(ageMs - 1_000);
    expect(ageMs).toBeGreaterThan(5_000);
    await holder.end();
  });

  it('and cannot be read when it is compared: the rebuilt one is ready, and others are compared', async () => {
    await passed('tallies', await stage.append(id, counted(1)));
    program.rebuilder();
    const { id: rebuildId } = await rebuilt(program);
    await program.database.query('ALTER TABLE tallies RENAME COLUMN total TO sum');
    // As after a crash before the comparison.
    await program.database.query(`UPDATE read_model_rebuilds SET state = 'comparing', digest = NULL`);
    const error = expect.stringContaining('not compared: tallies could not be read');
    expect(await atRest(program.rebuilds, rebuildId)).toMatchObject({ state: 'ready', error, differences: null });
    expect(await rebuilt(program, 'notes')).toMatchObject({ state: 'ready', error: null, differences: { missing: 0 } });
  });

  it('and the rebuilt one cannot be read when it is compared: that rebuild fails by name, and is not ready', async () => {
    await passed('tallies', await stage.append(id, counted(1)));
    program.rebuilder();
    const { id: rebuildId, table } = await rebuilt(program);
    await program.database.query(`ALTER TABLE ${table} RENAME COLUMN total TO sum`);
    await program.database.query(`UPDATE read_model_rebuilds SET state = 'comparing', digest = NULL`);
    const error = expect.stringContaining(`${table} could not be read`);
    expect(await atRest(program.rebuilds, rebuildId)).toMatchObject({ state: 'failed', error });
    expect(await rebuilt(program, 'notes')).toMatchObject({ state: 'ready', error: null, differences: { missing: 0 } });
  });

  it('and is compared all the same where the comparison was ended once, by an administrator', async () => {
    await passed('tallies', await stage.append(id, counted(1)));
    program.rebuilder();
    const { id: rebuildId } = await rebuilt(program);
    const holder = new Client({ connectionString: program.database.url });
    await holder.connect();
    try {
      await holder.query('BEGIN; LOCK TABLE tallies IN ACCESS EXCLUSIVE MODE');
      await program.database.query(
        `UPDATE read_model_rebuilds SET state = 'comparing', digest = NULL, missing = NULL, extra = NULL, changed = NULL`,
      );
      const ended = await until('the end of the comparison', async () => {
        const rows = await program.database.query(
          `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'parley rebuild' AND wait_event_type = 'Lock'`,
        );
        return rows.length > 0 ? rows.length : null;
      });
      expect(ended).toBe(1);
    } finally {
      await holder.end();
    }
    const differences = { missing: 0, extra: 0, changed: 0 };
    expect(await atRest(program.rebuilds, rebuildId)).toMatchObject({ state: 'ready', error: null, differences });
  });

  it('where somebody holds a lock on it', async () => {
    const holder = new Client({ connectionString: program.database.url });
    await holder.connect();
    try {
      await standsAlone(
        () => holder.query('BEGIN; LOCK TABLE tallies IN ACCESS EXCLUSIVE MODE'),
        () => holder.query('ROLLBACK'),
      );
    } finally {
      await holder.end();
    }
  });
});
