import { Budgets, type SegmentSpend } from '@app/budget';
import { asId, type RunId, type RunKey } from '@app/kernel';
import { ReadGate } from '@app/read-store';
import { v7 as uuidV7 } from 'uuid';
import { requestJson } from '@app/testing/client';
import { eventsOf, provisioned, replay, type Replica, rowsOf, Slices, testCause } from '@app/testing/slices';

let slices: Slices;
let replica: Replica;
let other: Replica;
beforeAll(async () => {
  slices = await Slices.start();
  replica = await slices.replica({ projecting: true });
  other = await slices.replica({ projecting: false });
  const subjects = ['ada', 'racer', 'bob', 'undo', 'held', 'night', 'books', 'orphan', 'aging'];
  for (const subject of subjects) await provisioned(slices, replica, subject);
});
afterAll(() => slices.stop());

function spend(subject: string, segment = 1): SegmentSpend {
  const run = { runKey: asId<RunKey>(uuidV7()), runId: asId<RunId>(uuidV7()) };
  return { userId: slices.userId(subject), ...run, segment, cause: testCause() };
}

const checked = { checked: true };
const held = (heldCents: number) => ({ ok: true, value: { heldCents } });
const exhausted = (retryable: boolean) => ({ ok: false, refusal: { reason: 'budget_exhausted', retryable } });
const budgets = () => replica.get(Budgets);
const day = async (subject: string) => (await other.get(Budgets).headroom(slices.userId(subject))).snapshots[0];
const operator = (subject: string) => ({ userId: slices.userId(subject), reason: 'test', cause: testCause() });
const projected = async () => replica.get(ReadGate).passedAll();

describe('a budget', () => {
  it('holds, raises and settles a segment', async () => {
    const of = spend('ada');
    expect(await budgets().reserve(of, checked)).toEqual(held(25));
    expect(await budgets().reserve(of, checked)).toEqual(held(25));
    expect(await budgets().raise(of, { heldCents: 25 })).toEqual(held(50));
    expect(await other.get(Budgets).raise(of, { heldCents: 25 })).toEqual(held(50));
    expect(await other.get(Budgets).reserve(of, { checked: false })).toEqual(held(50));
    expect(await day('ada')).toMatchObject({ capCents: 500, reservedCents: 50, spentCents: 0 });
    await other.get(Budgets).settle(of, { spentCents: 31 });
    await budgets().settle(of, { spentCents: 31 });
    expect(await day('ada')).toMatchObject({ reservedCents: 0, spentCents: 31 });
    expect(await budgets().reserve(of, { checked: false })).toEqual(held(0));
    expect(await budgets().raise(of, { heldCents: 50 })).toMatchObject({ refusal: { reason: 'run_not_active' } });
    await expect(budgets().settle(of, { spentCents: -1 })).rejects.toThrow('Settle was refused');
  });

  it('lets exactly as many through as its cap holds, whichever replica they come to', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        (index % 2 ? replica : other).get(Budgets).reserve(spend('racer'), checked),
      ),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(20);
    expect(answers.find(({ ok }) => !ok)).toMatchObject(exhausted(true));
    expect(await day('racer')).toMatchObject({ reservedCents: 500 });
    expect(await other.get(Budgets).headroom(slices.userId('racer'))).toMatchObject({ ok: false, frozen: false });
    expect(await budgets().reserve(spend('racer', 2), { checked: false })).toEqual(held(25));
  });

  it('gives back what never came to be, and takes it again', async () => {
    const of = spend('undo');
    await budgets().reserve(of, checked);
    await budgets().release(of);
    await budgets().release(of);
    expect(await day('undo')).toMatchObject({ reservedCents: 0, spentCents: 0 });
    expect(await budgets().reserve(of, { checked: false })).toEqual(held(25));
  });

  it('obeys its operator on every replica', async () => {
    await budgets().freeze(operator('held'));
    expect(await other.get(Budgets).reserve(spend('held'), checked)).toMatchObject(exhausted(false));
    expect(await other.get(Budgets).headroom(slices.userId('held'))).toMatchObject({ ok: false, frozen: true });
    await budgets().unfreeze(operator('held'));
    await budgets().setCaps(operator('held'), { dayCents: 24, monthCents: 1000 });
    expect(await other.get(Budgets).reserve(spend('held'), checked)).toMatchObject(exhausted(true));
    expect(await day('held')).toMatchObject({ capCents: 24 });
    const wrong = await budgets().setCaps(operator('held'), { dayCents: 0.5, monthCents: 1 });
    expect(wrong).toMatchObject({ ok: false, refusal: { issues: [{ path: '/dayCents' }] } });
  });

  it('starts again at midnight UTC, while an open segment stays where it was reserved', async () => {
    const of = spend('night');
    replica.clock.nowMs = Date.parse('2027-01-31T23:59:59.000Z');
    await budgets().reserve(of, checked);
    replica.clock.nowMs = Date.parse('2027-02-01T00:00:00.000Z');
    await budgets().settle(of, { spentCents: 20 });
    const view = await budgets().headroom(slices.userId('night'));
    expect(view.snapshots).toEqual([
      { periodKind: 'day', capCents: 500, reservedCents: 0, spentCents: 0 },
      { periodKind: 'month', capCents: 5000, reservedCents: 0, spentCents: 0 },
    ]);
    const [, spent] = await eventsOf(replica, [`budget-${slices.userId('night')}`]);
    expect(spent?.payload).toMatchObject({
      type: 'budget.spent',
      day: '2027-01-31',
      month: '2027-01',
      amountCents: 20,
    });
    replica.clock.nowMs = Date.now();
  });

  it('is shown to its user', async () => {
    const headers = await provisioned(slices, replica, 'ada');
    const call = async (path: string) => {
      const { status, body } = await requestJson('GET', other.url + path, undefined, headers);
      return { status, body };
    };
    expect(await call(`/v1/users/${slices.userId('ada').toUpperCase()}/budget`)).toEqual({
      status: 200,
      body: {
        ok: true,
        frozen: false,
        snapshots: [
          { periodKind: 'day', capCents: 500, reservedCents: 0, spentCents: 31 },
          { periodKind: 'month', capCents: 5000, reservedCents: 0, spentCents: 31 },
        ],
      },
    });
    expect(await call(`/v1/users/${slices.userId('bob')}/budget`)).toMatchObject({ status: 403 });
    expect(await call(`/v1/users/${slices.userId('ada')}/budget?day=1`)).toMatchObject({ status: 400 });
  });
});

describe('the entries', () => {
  interface Listed {
    readonly data: readonly { kind: string; amountCents: number; runId: string; at: string }[];
    readonly nextCursor: string | null;
  }
  let list: (query: string) => Promise<{ status: number; body: Listed }>;
  let runs: readonly SegmentSpend[];
  beforeAll(async () => {
    const headers = await provisioned(slices, replica, 'books');
    const entries = `${other.url}/v1/users/${slices.userId('books')}/budget/entries`;
    list = (query) => requestJson<Listed>('GET', `${entries}?${query}`, undefined, headers);
    at('2028-05-31T23:59:00.000Z');
    runs = Array.from({ length: 3 }, () => spend('books'));
    for (const run of runs) await budgets().reserve(run, checked);
    await budgets().raise(runs[0]!, { heldCents: 25 });
    await budgets().settle(runs[0]!, { spentCents: 31 });
  });
  afterAll(() => at(new Date().toISOString()));

  function at(instant: string): void {
    for (const { clock } of [replica, other]) clock.nowMs = Date.parse(instant);
  }
  const pages = async (query: string, first: Listed): Promise<Listed['data']> => {
    const entries = [...first.data];
    for (let { nextCursor } = first; nextCursor !== null;) {
      const { status, body } = await list(`${query}&cursor=${nextCursor}`);
      expect(status).toBe(200);
      entries.push(...body.data);
      ({ nextCursor } = body);
    }
    return entries;
  };
  const told = (entries: Listed['data']) => entries.map(({ kind, amountCents }) => `${kind} ${amountCents}`);
  const firstDay = ['spent 31', 'released 50', ...Array.from({ length: 4 }, () => 'reserved 25')];

  it('are whole on pages of any size, the newest first', async () => {
    for (const limit of [1, 2, 3, 5, 6, 100]) {
      const { body } = await list(`limit=${limit}`);
      expect(body.data).toHaveLength(Math.min(limit, 6));
      expect(told(await pages(`limit=${limit}`, body))).toEqual(firstDay);
    }
    const { body } = await list('');
    expect(body.data[0]).toEqual({
      at: '2028-05-31T23:59:00.000Z',
      runId: runs[0]?.runId,
      kind: 'spent',
      amountCents: 31,
    });
    expect(body.nextCursor).toBeNull();
  });

  it('go on in the period in which the list was begun, also past midnight', async () => {
    const [ofDay, ofMonth] = [await list('limit=1'), await list('limit=1&periodKind=month')];
    at('2028-06-01T00:00:00.000Z');
    expect(told(await pages('limit=1', ofDay.body))).toEqual(firstDay);
    expect(told(await pages('limit=1&periodKind=month', ofMonth.body))).toEqual(firstDay);
    expect((await list('')).body).toEqual({ data: [], nextCursor: null });
    await budgets().reserve(spend('books'), checked);
    await budgets().release(runs[1]!);
    expect(told((await list('periodKind=month')).body.data)).toEqual(['reserved 25']);
    expect(told((await list('periodKind=day')).body.data)).toEqual(['reserved 25']);
    at('2028-06-02T00:00:00.000Z');
    await budgets().reserve(spend('books'), checked);
    expect(told((await list('periodKind=month')).body.data)).toEqual(['reserved 25', 'reserved 25']);
    expect(told((await list('periodKind=day')).body.data)).toEqual(['reserved 25']);
  });

  it('have cursors that are good for one kind of period only', async () => {
    const { body } = await list('limit=1&periodKind=month');
    const cursor = body.nextCursor ?? '';
    expect(await list(`cursor=${cursor}&periodKind=month&limit=3`)).toMatchObject({ status: 200 });
    for (const query of [`cursor=${cursor}`, `cursor=${cursor}&periodKind=day`, 'cursor=x', 'cursor=']) {
      expect(await list(query)).toMatchObject({ status: 400, body: { reason: 'invalid_cursor' } });
    }
    for (const query of ['periodKind=year', 'limit=0', 'limit=101', 'day=1']) {
      expect(await list(query)).toMatchObject({ status: 400, body: { reason: 'invalid_input' } });
    }
  });
});

describe('the read model of reservations', () => {
  const rowOf = async ({ runKey, segment }: SegmentSpend) => {
    await projected();
    return (await rowsOf(replica, 'budget_reservations')).find(
      (row) => row['reservation_key'] === `${runKey}/${segment}`,
    );
  };

  it('says which segments are open', async () => {
    const [undone, over] = [spend('orphan'), spend('orphan', 2)];
    await budgets().reserve(undone, checked);
    await budgets().reserve(over, checked);
    const { userId, runKey, runId } = undone;
    const ids = { user_id: userId, run_key: runKey, run_id: runId };
    expect(await rowOf(undone)).toMatchObject({ ...ids, segment: 1, status: 'open' });
    await budgets().release(undone);
    await budgets().settle(over, { spentCents: 0 });
    expect(await rowOf(undone)).toMatchObject({ ...ids, status: 'closed' });
    expect(await rowOf(over)).toMatchObject({ segment: 2, status: 'closed' });
    await budgets().reserve(undone, { checked: false });
    expect(await rowOf(undone)).toMatchObject({ ...ids, status: 'open' });
  });

  it('keeps the instant at which one was opened, also when it is raised', async () => {
    const of = spend('aging');
    replica.clock.nowMs = Date.now() - 60_000;
    await budgets().reserve(of, checked);
    const at = replica.clock.now();
    replica.clock.nowMs = Date.now();
    await budgets().raise(of, { heldCents: 25 });
    expect(await rowOf(of)).toMatchObject({ at });
  });

  it('reads the same when every event is replayed', async () => {
    await projected();
    const rows = await rowsOf(replica, 'budget_reservations');
    expect(new Set(rows.map((row) => row['status']))).toEqual(new Set(['open', 'closed']));
    const streams = [...new Set(rows.map((row) => `budget-${String(row['user_id'])}`))];
    await replay(replica, await eventsOf(replica, streams), ['budget_reservations', 'budget_entries']);
  });
});
