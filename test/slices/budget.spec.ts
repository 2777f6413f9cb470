import { Budgets, OpenReservations, type OpenReservation, type SegmentSpend } from '@app/budget';
import { asId, instantOf, type Instant, type RunId, type RunKey } from '@app/kernel';
import { MintPartnerKey } from '@app/partners';
import { ReadGate } from '@app/read-store';
import { EventStore } from '@app/event-store';
import { v7 as uuidV7 } from 'uuid';
import { eventsOf, replay, rowsOf, Slices, testCause, type Replica } from './slices-app';

let slices: Slices;
let replica: Replica;
let other: Replica;
beforeAll(async () => {
  slices = await Slices.start();
  replica = await slices.replica({ projecting: true });
  other = await slices.replica({ projecting: false });
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
const projected = async () => replica.get(ReadGate).passed(await replica.get(EventStore).endPosition());

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

  it('starts anew at midnight UTC, while an open segment stays where it was reserved', async () => {
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
    const minted = await replica.get(MintPartnerKey).mint({ label: 'Acme', cause: testCause() });
    const call = async (path: string, method = 'GET') => {
      const headers = {
        'x-api-key': minted.ok ? minted.value.key : '',
        authorization: `Bearer ${await slices.issuer.token({ sub: 'ada' })}`,
      };
      const response = await fetch(other.url + path, { method, headers });
      return { status: response.status, body: (await response.json()) as unknown };
    };
    await call('/v1/users', 'POST');
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

describe('open reservations', () => {
  const before = () => instantOf(Date.now() + 1_000);

  async function pages(limit: number, until: Instant): Promise<OpenReservation[]> {
    const found: OpenReservation[] = [];
    for (;;) {
      const after = found.at(-1);
      const page = await other.get(OpenReservations).openedBefore(until, { limit, ...(after ? { after } : {}) });
      found.push(...page);
      if (page.length < limit) return found;
    }
  }

  it('are found page by page, the oldest first, and only while they are open', async () => {
    const of = spend('orphan');
    await budgets().reserve(of, checked);
    await projected();
    const found = await pages(4, before());
    const all = await other.get(OpenReservations).openedBefore(before(), { limit: 1_000 });
    expect(found).toEqual(all);
    expect(new Set(found.map(({ runKey, segment }) => `${runKey}/${segment}`)).size).toBe(found.length);
    const { userId, runKey, runId, segment } = of;
    expect(found.at(-1)).toMatchObject({ userId, runKey, runId, segment });
    await budgets().release(of);
    await projected();
    expect(await pages(4, before())).toEqual(found.slice(0, -1));
    expect(await pages(4, instantOf(0))).toEqual([]);
  });

  it('keep the instant at which they were opened, also when they are raised', async () => {
    const of = spend('aging');
    replica.clock.nowMs = Date.now() - 60_000;
    await budgets().reserve(of, checked);
    const openedAt = replica.clock.now();
    replica.clock.nowMs = Date.now();
    await budgets().raise(of, { heldCents: 25 });
    await projected();
    expect((await pages(50, before())).find(({ runKey }) => runKey === of.runKey)?.at).toBe(openedAt);
  });

  it('read the same when every event is replayed', async () => {
    await projected();
    const rows = await rowsOf(replica, 'budget_reservations');
    expect(new Set(rows.map((row) => row['status']))).toEqual(new Set(['open', 'closed']));
    const streams = [...new Set(rows.map((row) => `budget-${String(row['user_id'])}`))];
    await replay(replica, await eventsOf(replica, streams), ['budget_reservations']);
  });
});
