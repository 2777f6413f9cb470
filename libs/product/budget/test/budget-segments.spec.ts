/**
 * A run that waits for decisions has one segment after the other: each reserves, books its cost, and releases the
 * remainder.
 */
import { Budgets } from '@app/budget';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { booksOf, movedFor, untilBooked } from '@app/testing/journeys';
import {
  approve,
  asking,
  byOperator,
  conversationOf,
  expectProblem,
  holdings,
  moveClock,
  newOwner,
  operationsOf,
  partOf,
  prompt,
  start,
  startLongRun,
  untilEnded,
  untilStatus,
  usdc,
} from '@app/testing/journeys';

let deployment: Deployment;
let user: TestClient;
let conversationId: string;
beforeAll(async () => {
  deployment = await startDeployment({
    mode: 'in-process',
    replicas: { api: 2 },
    env: { BUDGET_DAY_CENTS: '80', BUDGET_MONTH_CENTS: '200', RULES_STEP_MICRO_CENTS: '1000001' },
  });
});
beforeEach(async () => {
  await deployment.sandbox('PUT', 'faults', { provider: prompt, model: { delayMs: 0 } });
  user = await newOwner(deployment);
  conversationId = await conversationOf(user);
});
afterAll(() => deployment.stop());

const text = 'withdraw 1.5 USDC';
const budgets = () => partOf(deployment, Budgets);
const hour = 3_600;

/** Moves the clock to noon, UTC, so that a test has enough time before midnight. */
async function untilNoon(): Promise<void> {
  const { now } = await deployment.sandbox<{ now: string }>('GET', 'clock');
  const secondOfDay = Math.floor(Date.parse(now) / 1_000) % (24 * hour);
  await moveClock(deployment, 36 * hour - secondOfDay);
}

/** A run that waits for its approval, its first segment booked: two steps of 1.000001 cents. */
async function waiting() {
  const asked = await asking(user, conversationId, text);
  await untilBooked(user);
  return asked;
}

describe('a run that waits for approval', () => {
  it('holds nothing meanwhile, and each of its segments is booked for itself', async () => {
    const { runId, approval } = await waiting();
    expect(await booksOf(user)).toEqual({ day: [0, 3], month: [0, 3] });
    expect((await approve(user, approval)).body).toEqual({ decided: true });
    expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed', segment: 2, usage: { costCents: 5 } });
    await untilBooked(user);
    expect(await booksOf(user.via(deployment.baseUrls[1] ?? ''))).toEqual({ day: [0, 5], month: [0, 5] });
    const segment = (cost: number) => [`spent ${cost}`, 'released 25', 'reserved 25'];
    expect(await movedFor(user, runId)).toEqual([...segment(2), ...segment(3)]);
  });

  it('lets others use its headroom, and goes on past the cap', async () => {
    const { runId, approval } = await waiting();
    const live = [await conversationOf(user), await conversationOf(user), await conversationOf(user)];
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 60_000 } });
    const others = [await startLongRun(user, live[0] ?? ''), await startLongRun(user, live[1] ?? '')];
    await Promise.all(others.map((other) => untilStatus(user, other, 'running')));
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
    // 80 - 3 - 50 leaves room for one reservation, which the continuing run takes; with the lowered cap it goes past
    // the cap.
    await budgets().setCaps(byOperator(user), { dayCents: 54, monthCents: 54 });
    expectProblem(await start(user, live[2] ?? ''), 'budget_exhausted', { retryable: true });
    expect(await approve(user, approval)).toMatchObject({ status: 200, body: { decided: true } });
    expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed' });
    await Promise.all(others.map((other) => user.post(`/agent-runs/${other}/abort`)));
    await untilBooked(user);
    expect(await booksOf(user)).toEqual({ day: [0, 5], month: [0, 5] });
  });

  it('can be decided while the budget is frozen: then it moves nothing, and fails before its next step', async () => {
    const { runId, approval } = await waiting();
    await budgets().freeze(byOperator(user));
    expect(await approve(user, approval)).toMatchObject({ status: 200, body: { decided: true } });
    expect(await untilEnded(user, runId)).toMatchObject({ status: 'failed', failure: { reason: 'budget_exhausted' } });
    await untilBooked(user);
    expect(await booksOf(user)).toEqual({ day: [0, 3], month: [0, 3] });
    expect([await operationsOf(user), (await holdings(user))[usdc]]).toEqual([[], '250000000']);
  });

  it('costs what its first segment cost when it is denied, aborted, or never decided', async () => {
    await untilNoon();
    const aborted = await waiting();
    expect((await user.post(`/agent-runs/${aborted.runId}/abort`)).body).toEqual({ aborted: true });
    const denied = await waiting();
    expect((await user.post(`/approvals/${denied.approval.id}/deny`)).body).toEqual({ decided: true });
    expect(await untilEnded(user, denied.runId)).toMatchObject({ status: 'completed', segment: 2 });
    await waiting();
    expect(await movedFor(user, aborted.runId)).toEqual(['spent 3', 'released 25', 'reserved 25']);
    expect((await booksOf(user)).day).toEqual([0, 3 + 3 + 2 + 3]);
    await moveClock(deployment, 25 * hour);
    await untilBooked(user);
    expect((await booksOf(user)).day).toEqual([0, 0]);
  });

  it('books its first segment into the day before midnight and its second into the day after', async () => {
    await untilNoon();
    const { runId, approval } = await waiting();
    expect((await booksOf(user)).day).toEqual([0, 3]);
    await moveClock(deployment, 13 * hour);
    expect((await booksOf(user)).day).toEqual([0, 0]);
    expect((await approve(user, approval)).body).toEqual({ decided: true });
    await untilEnded(user, runId);
    await untilBooked(user);
    expect((await booksOf(user)).day).toEqual([0, 2]);
    expect(await movedFor(user, runId)).toEqual(['spent 2', 'released 25', 'reserved 25']);
  });
});
