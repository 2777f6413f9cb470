import { encodeEvent } from '@app/event-store';
import { Logger } from '@nestjs/common';
import { counted, counterKind, someCause } from '@app/testing/deciders';
import { until } from '@app/testing/event-store';
import { v7 as uuidV7 } from 'uuid';
import { StreamOwners } from '../src/partitions/stream-owners';
import { projectedTo, rebuilt, RebuiltTallies, type ProgramOnStage } from './rebuilt';
import { notes, tallies } from './tally';

let stage: RebuiltTallies;
beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(true));
beforeEach(async () => {
  stage = await RebuiltTallies.start();
});
afterEach(() => stage.stop());

/** Based on the revision, as in the product's projections: so no row is selected, and an existing one would be counted again. */
const firstByRevision = { ...tallies, isFirst: ({ revision }: { readonly revision: number }) => revision === 0 };
const both = [firstByRevision, notes];
const none = { missing: 0, extra: 0, changed: 0 };
const leadsOf = ({ database }: ProgramOnStage) => [...database.leaderSession.leads].sort();
const leads = (programs: readonly ProgramOnStage[]) => programs.flatMap(leadsOf).sort();
const four = ['projector 1/4', 'projector 2/4', 'projector 3/4', 'projector 4/4'];

/** Appends to counters, old and new ones, until it is stopped. */
function living() {
  const ids: string[] = [];
  let isOver = false;
  let last = 0;
  const work = async () => {
    for (let n = 1; !isOver; n += 1) {
      if (n % 3 === 1) ids.push(uuidV7());
      last = await stage.append(ids[(n * 7) % ids.length] ?? '', counted(n), counted(-n));
    }
  };
  const done = work();
  return {
    appended: async (count: number) => {
      const from = last;
      await until(() => last > from + 2 * count);
    },
    async end(): Promise<number> {
      isOver = true;
      await done;
      return last;
    },
  };
}

async function expectNoDifferences(program: ProgramOnStage): Promise<void> {
  program.rebuilder();
  for (const name of ['tallies', 'notes'])
    expect(await rebuilt(program, name)).toMatchObject({ state: 'ready', error: null, differences: none });
}

describe('partitions', () => {
  it('are shared evenly by the projectors that there are, and taken over from those that go', async () => {
    const first = await stage.program(both, 4);
    await until(() => leadsOf(first).join() === four.join());
    const second = await stage.program(both);
    await until(() => leadsOf(first).length === 2 && leadsOf(second).length === 2);
    expect(leads([first, second])).toEqual(four);
    const third = await stage.program(both);
    const life = living();
    await life.appended(20);
    await first.runner.stop();
    await until(() => leads([second, third]).join() === four.join());
    await life.appended(20);
    const pids = await second.database.query<{ pid: number }>(
      `SELECT DISTINCT l.pid FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
       WHERE d.datname = current_database() AND locktype = 'advisory' AND mode = 'ShareLock'`,
    );
    // Both sessions break: whichever process is first takes their partitions.
    for (const { pid } of pids) await second.database.query('SELECT pg_terminate_backend($1)', [pid]);
    await life.appended(20);
    await projectedTo(second, await life.end());
    await until(() => leads([second, third]).join() === four.join());
    await expectNoDifferences(second);
  });

  it('are changed in number while events are projected: none is left out, and none counted twice', async () => {
    const first = await stage.program(both);
    const life = living();
    await life.appended(15);
    for (const partitions of [4, 2, 3, 1, 5]) {
      await stage.program(both, partitions);
      await life.appended(15);
    }
    const last = await life.end();
    await projectedTo(first, last);
    const [places] = await first.database.query<{ of: number[] }>(
      `SELECT array_agg(partitions ORDER BY partition) AS of FROM read_model_places WHERE table_name = 'tallies'`,
    );
    expect(places?.of).toEqual([5, 5, 5, 5, 5]);
    await expectNoDifferences(first);
  });

  it('of a table that stands still stand still, and go on together once its event is passed over', async () => {
    const [good, bad] = [uuidV7(), uuidV7()];
    const refusing: typeof tallies = {
      ...tallies,
      project: (row, recorded) => {
        if (recorded.stream.endsWith(bad)) throw new Error('it cannot be applied');
        return tallies.project(row, recorded);
      },
    };
    const first = await stage.program([refusing, notes], 3);
    const second = await stage.program([refusing, notes]);
    await until(() => [first, second].every((program) => leadsOf(program).length > 0));
    const revision = 0;
    await stage.append(bad, counted(1));
    await until(async () => (await first.states.list()).some(({ state }) => state === 'stalled'));
    const position = await stage.append(good, counted(2));
    await until(async () =>
      (await second.states.list()).some((one) => one.name === 'notes' && one.position >= position),
    );
    expect((await first.states.list()).map(({ name, state }) => [name, state])).toEqual([
      ['tallies', 'stalled'],
      ['notes', 'live'],
    ]);
    const stream = `counter-${bad}`;
    expect(await second.states.skip('tallies', { stream, revision }, 'a test')).toEqual({ kind: 'done' });
    await projectedTo(first, position);
    expect(await first.database.query('SELECT id::text, total FROM tallies')).toEqual([{ id: good, total: 2 }]);
  });
});

describe('the owner of a stream', () => {
  /** The partition, out of a thousand, of the second event of a new stream that begins with this event. */
  async function partitionOf(stream: string, members: object): Promise<number> {
    const first = { ...counted(1), ...members };
    const kind = { category: counterKind.category, privateMembers: { 'counter.counted': ['hidden', 'userId'] } };
    const open = { category: counterKind.category };
    const cause = someCause();
    const events = [encodeEvent('hidden' in members ? kind : open, first, cause), encodeEvent(open, counted(2), cause)];
    await stage.store.append(stream, events, -1);
    const [, second] = await stage.store.readStream(stream, 0, 2);
    if (second === undefined) throw new Error('it was not appended');
    return (await new StreamOwners(stage.store).partitionsOf([second], 1_000))(second);
  }

  it('is the user whom its first event names, in public or not, and else the id in its name', async () => {
    const [userId, other] = [uuidV7(), uuidV7()];
    const own = await partitionOf(`wallet-${userId}`, {});
    expect(await partitionOf(`automation-${uuidV7()}`, { userId })).toBe(own);
    expect(await partitionOf(`conversation-${uuidV7()}`, { userId, hidden: true })).toBe(own);
    expect(await partitionOf(`budget-${userId}`, {})).toBe(own);
    expect(await partitionOf(`automation-${uuidV7()}`, { userId: other })).toBe(
      await partitionOf(`wallet-${other}`, {}),
    );
  });
});
