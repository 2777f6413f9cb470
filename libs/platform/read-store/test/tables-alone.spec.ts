import { Logger } from '@nestjs/common';
import { counted } from '@app/testing/deciders';
import { until } from '@app/testing/until';
import { Client } from 'pg';
import { v7 as uuidV7 } from 'uuid';
import { rebuilt, RebuiltTallies, type ProgramOnStage } from './rebuilt';

/** Reasons why PostgreSQL does not take the rows of one table; each with what ends it. */
const reasons: readonly (readonly [name: string, begins: string, ends: string])[] = [
  [
    'a trigger raises an exception',
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not today'; END $$;
     CREATE TRIGGER refusing BEFORE INSERT OR UPDATE ON tallies FOR EACH ROW EXECUTE FUNCTION refuse()`,
    'DROP TRIGGER refusing ON tallies',
  ],
  [
    'a constraint refuses its rows',
    'ALTER TABLE tallies ADD CONSTRAINT none CHECK (false) NOT VALID',
    'ALTER TABLE tallies DROP CONSTRAINT none',
  ],
  [
    'a column was renamed',
    'ALTER TABLE tallies RENAME COLUMN total TO sum',
    'ALTER TABLE tallies RENAME COLUMN sum TO total',
  ],
  ['the table was renamed', 'ALTER TABLE tallies RENAME TO elsewhere', 'ALTER TABLE elsewhere RENAME TO tallies'],
  [
    'a rule makes it a view that takes no rows',
    'CREATE RULE never AS ON INSERT TO tallies DO ALSO SELECT 1/0',
    'DROP RULE never ON tallies',
  ],
];

let stage: RebuiltTallies;
let program: ProgramOnStage;
let logged: jest.SpyInstance;
beforeEach(async () => {
  logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
  stage = await RebuiltTallies.start();
  program = await stage.program();
});
afterEach(async () => {
  await stage.stop();
  logged.mockRestore();
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

/** The table alone stands still, is named with the event, and goes on by itself once the reason is gone. */
async function standsAlone(begin: () => Promise<unknown>, end: () => Promise<unknown>): Promise<void> {
  await passed('tallies', await stage.append(id, counted(1)));
  await begin();
  const refused = await stage.append(id, counted(2), counted(3));
  await passed('notes', refused);
  expect(await stalled()).toEqual(['tallies']);
  expect(await positionOf('tallies')).toBeLessThan(refused);
  expect(logged).toHaveBeenCalledWith(expect.stringContaining(`tallies stands still at event 1 of counter-${id}`));
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

describe('a table that cannot be written stands still alone', () => {
  it.each(reasons)('where %s', async (_, begins, ends) => {
    await standsAlone(
      () => program.database.query(begins),
      () => program.database.query(ends),
    );
  });

  it.each(reasons)('and is replaced by a rebuilt one, where %s', async (_, begins) => {
    await passed('tallies', await stage.append(id, counted(1)));
    await program.database.query(begins);
    await passed('notes', await stage.append(id, counted(2), counted(3)));
    expect(await stalled()).toEqual(['tallies']);
    const warned = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    program.rebuilder();
    const { id: rebuildId, ...of } = await rebuilt(program);
    const why = `not compared: tallies stands still at event 1 of counter-${id}`;
    expect(of).toMatchObject({ state: 'ready', error: why, differences: null, comparedAt: null });
    expect(await program.rebuilds.switchOver(rebuildId, null)).toEqual({ kind: 'done' });
    await passed(of.table, await stage.append(id, counted(4)));
    expect(await program.database.query('SELECT total FROM {tallies}')).toEqual([{ total: 10 }]);
    expect(warned).toHaveBeenCalledWith(expect.stringContaining(why));
    warned.mockRestore();
  });

  it('and cannot be read either: the rebuilt one is ready without a comparison, and others are compared', async () => {
    await passed('tallies', await stage.append(id, counted(1)));
    await passed('notes', await stage.append(id, counted(2)));
    await passed('tallies', await stage.append(id, counted(3)));
    await program.database.query('ALTER TABLE tallies RENAME COLUMN total TO sum');
    const warned = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    program.rebuilder();
    const error = expect.stringContaining('not compared: tallies could not be read');
    expect(await rebuilt(program)).toMatchObject({ state: 'ready', error, differences: null });
    expect(await rebuilt(program, 'notes')).toMatchObject({ state: 'ready', error: null, differences: { missing: 0 } });
    warned.mockRestore();
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
