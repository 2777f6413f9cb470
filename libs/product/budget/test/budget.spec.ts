import { Budgets } from '@app/budget';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { booksOf, untilBooked } from '@app/testing/journeys';
import {
  allPages,
  anInstant,
  byOperator,
  conversationOf,
  expectProblem,
  partOf,
  say,
  start,
  startLongRun,
  untilEnded,
} from '@app/testing/journeys';

let deployment: Deployment;
let user: TestClient;
beforeAll(async () => {
  deployment = await startDeployment({
    mode: 'in-process',
    replicas: { api: 2 },
    env: { BUDGET_DAY_CENTS: '80', BUDGET_MONTH_CENTS: '200', RULES_STEP_MICRO_CENTS: '1000001' },
  });
});
beforeEach(async () => {
  user = await deployment.newUser();
});
afterAll(() => deployment.stop());

const budgets = (replica = 0) => partOf(deployment, Budgets, replica);

/** The budget as its user sees it on the second replica. */
async function seen(): Promise<{ ok: boolean; frozen: boolean; day: object | undefined; month: object | undefined }> {
  const { status, body } = await user
    .via(deployment.baseUrls[1] ?? '')
    .get<{ ok: boolean; frozen: boolean; snapshots: object[] }>('/budget');
  expect([status, Object.keys(body).sort()]).toEqual([200, ['frozen', 'ok', 'snapshots']]);
  expect(body.snapshots).toHaveLength(2);
  return { ok: body.ok, frozen: body.frozen, day: body.snapshots[0], month: body.snapshots[1] };
}

const snapshots = (reservedCents: number, spentCents: number) => ({
  day: { periodKind: 'day', capCents: 80, reservedCents, spentCents },
  month: { periodKind: 'month', capCents: 200, reservedCents, spentCents },
});

describe('budget', () => {
  it('holds a reservation while a run is live, and books what it cost, rounded up once a segment', async () => {
    expect(await seen()).toEqual({ ok: true, frozen: false, ...snapshots(0, 0) });
    const id = await conversationOf(user);
    const live = await startLongRun(user, id);
    expect(await seen()).toEqual({ ok: true, frozen: false, ...snapshots(25, 0) });
    await user.post(`/agent-runs/${live}/abort`);
    await untilBooked(user);
    expect(await seen()).toEqual({ ok: true, frozen: false, ...snapshots(0, 0) });
    // Two steps of 1.000001 cents each are 2.000002 cents.
    expect(await say(user, id, 'what time is it')).toMatchObject({ usage: { costCents: 3 } });
    await untilBooked(user);
    expect(await seen()).toEqual({ ok: true, frozen: false, ...snapshots(0, 3) });
  });

  it('is ok exactly when runs.start would pass', async () => {
    const ids = await Promise.all(Array.from({ length: 4 }, () => conversationOf(user)));
    const live: string[] = [];
    for (const id of ids.slice(0, 3)) {
      expect((await seen()).ok).toBe(true);
      live.push(await startLongRun(user, id));
    }
    expect(await seen()).toEqual({ ok: false, frozen: false, ...snapshots(75, 0) });
    expectProblem(await start(user, ids[3] ?? ''), 'budget_exhausted', { retryable: true });
    await user.post(`/agent-runs/${live[0]}/abort`);
    await untilAdmitted(ids[3] ?? '');
    for (const runId of live.slice(1)) await user.post(`/agent-runs/${runId}/abort`);
  });

  it('that is frozen admits nothing, on any replica, and ends a run before its next step', async () => {
    const id = await conversationOf(user);
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 500 } });
    const { body } = await start(user, id, 'what time is it');
    await new Promise((resolve) => setTimeout(resolve, 250));
    await budgets(1).freeze(byOperator(user));
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: null } });
    expect(await seen()).toMatchObject({ ok: false, frozen: true });
    const other = await conversationOf(user);
    expectProblem(await start(user, other), 'budget_exhausted', { retryable: false });
    expect(await untilEnded(user, body.runId)).toMatchObject({
      status: 'failed',
      failure: { reason: 'budget_exhausted', text: expect.any(String) },
    });
    await budgets().unfreeze(byOperator(user));
    expect(await say(user, other)).toMatchObject({ status: 'completed' });
  });

  it('follows the caps that an operator sets', async () => {
    await budgets().setCaps(byOperator(user), { dayCents: 24, monthCents: 1000 });
    expect(await seen()).toMatchObject({ ok: false, day: { capCents: 24 }, month: { capCents: 1000 } });
    expectProblem(await start(user, await conversationOf(user)), 'budget_exhausted', { retryable: true });
  });

  it('is explained by its entries to the cent, on any replica, at once', async () => {
    const id = await conversationOf(user);
    const before = await startLongRun(user, id);
    const there = user.via(deployment.baseUrls[1] ?? '');
    expect(await booksOf(there)).toEqual({ day: [25, 0], month: [25, 0] });
    await user.post(`/agent-runs/${before}/abort`);
    await untilBooked(user);
    const { id: runId } = await say(user, id, 'what time is it');
    await untilBooked(user);
    expect(await booksOf(there)).toEqual({ day: [0, 3], month: [0, 3] });
    const { items } = await allPages(user, '/budget/entries?limit=2');
    const moved = items.map(({ kind, amountCents }) => [kind, amountCents]);
    expect(moved.slice(0, 3)).toEqual([
      ['spent', 3],
      ['released', 25],
      ['reserved', 25],
    ]);
    expect(items[0]).toEqual({ at: anInstant, runId, kind: 'spent', amountCents: 3 });
  });

  it('takes no parameters', async () => {
    expectProblem(await user.get('/budget?period=day'), 'invalid_input', { at: ['/period'] });
  });
});

async function untilAdmitted(id: string): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) {
    const { status, body } = await start(user, id);
    if (status === 202) return void (await untilEnded(user, body.runId));
  }
  throw new Error('what was reserved for an aborted run is not given back');
}

describe('a run that costs more than it reserved', () => {
  it('reserves more before each step that it cannot cover, and fails when there is nothing left', async () => {
    const dear = await startDeployment({
      mode: 'in-process',
      env: { BUDGET_DAY_CENTS: '49', RUN_RESERVATION_CENTS: '25', RULES_STEP_MICRO_CENTS: '25000000' },
    });
    try {
      const rich = await dear.newUser();
      const run = await say(rich, await conversationOf(rich), 'what time is it');
      expect(run).toMatchObject({
        status: 'failed',
        failure: { reason: 'budget_exhausted' },
        usage: { costCents: 25 },
      });
    } finally {
      await dear.stop();
    }
  });
});
