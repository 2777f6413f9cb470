/**
 * Changes between an approval and its use, and what an operator can stop (docs/decisions/approvals.md,
 * docs/decisions/money.md, docs/decisions/operators.md).
 */
import { CommandBus } from '@nestjs/cqrs';
import { Budgets } from '@app/budget';
import { PauseControl, ResumeControl } from '@app/deployment';
import { encodeEvent, EventStore } from '@app/event-store';
import { Clock } from '@app/kernel';
import { DisableUser } from '@app/users';
import { v5 as uuidV5 } from 'uuid';
import { auditMoney } from '@app/testing/audits';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import {
  type Approval,
  approvalOf,
  approve,
  asking,
  byOperator,
  confirm,
  conversationOf,
  expectProblem,
  freeLease,
  holdings,
  holdNextSegment,
  journal,
  moveClock,
  newOwner,
  operationsOf,
  outcomeOf,
  partOf,
  prepare,
  prompt,
  providerFault,
  say,
  untilEnded,
  usdc,
} from '@app/testing/journeys';

let deployment: Deployment;
let user: TestClient;
let conversationId: string;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'silent', BUDGET_DAY_CENTS: '100000' } });
});
beforeEach(async () => {
  await deployment.sandbox('PUT', 'faults', { provider: prompt, model: { delayMs: 0 } });
  user = await newOwner(deployment);
  conversationId = await conversationOf(user);
});
afterAll(() => deployment.stop());

const aDaySeconds = 86_400;

/** Approves a withdrawal whose run no worker takes before `meanwhile` is over; returns the result of the call. */
async function approvedLate(meanwhile: (approval: Approval) => Promise<unknown>) {
  const { runId, approval } = await asking(user, conversationId, 'withdraw 1.5 USDC');
  const runKey = uuidV5(runId, user.userId);
  await holdNextSegment(deployment, runKey);
  expect((await approve(user, approval)).status).toBe(200);
  await meanwhile(approval);
  await freeLease(deployment, runKey);
  const run = await untilEnded(user, runId);
  const returned = (await journal(user, conversationId))
    .map(({ payload }) => payload)
    .filter(isReturn)
    .at(-1);
  return { run, returned, approval: await approvalOf(user, approval.id) };
}

async function expectUntouched(): Promise<void> {
  expect(await operationsOf(user)).toEqual([]);
  expect((await holdings(user))[usdc]).toBe('250000000');
}

describe('an approval that is used', () => {
  it('after its expiry and 15 minutes after the decision: the call has expired, the approval stays approved', async () => {
    const { run, returned, approval } = await approvedLate(() => moveClock(deployment, aDaySeconds + 1));
    expect(returned).toMatchObject({ outcome: 'expired' });
    expect(approval).toMatchObject({ status: 'approved', operationId: null, endedReason: null });
    expect(run).toMatchObject({ status: 'completed', segment: 2 });
    await expectUntouched();
  });

  it('after its expiry, but within 15 minutes of the decision: done', async () => {
    const { runId, approval } = await asking(user, conversationId, 'withdraw 1.5 USDC');
    const runKey = uuidV5(runId, user.userId);
    await moveClock(deployment, aDaySeconds - 120);
    await holdNextSegment(deployment, runKey);
    expect((await approve(user, approval)).status).toBe(200);
    await moveClock(deployment, 600);
    await freeLease(deployment, runKey);
    expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed', segment: 2 });
    expect(await outcomeOf(user, approval.id)).toMatchObject({ status: 'settled' });
    expect((await holdings(user))[usdc]).toBe('248500000');
  });

  it('long before its expiry, but hours after the decision: done', async () => {
    const { returned, approval } = await approvedLate(() => moveClock(deployment, 20 * 3_600));
    expect(returned).toMatchObject({ outcome: 'ok', result: { operationId: approval.operationId } });
    expect(await outcomeOf(user, approval.id)).toMatchObject({ status: 'settled' });
  });

  it('after an operator froze the account: not done, and the run ends', async () => {
    const budgets = partOf(deployment, Budgets);
    const { run, returned, approval } = await approvedLate(() => budgets.freeze(byOperator(user)));
    expect(returned).toMatchObject({ outcome: 'error' });
    expect(approval).toMatchObject({ status: 'approved', operationId: null });
    expect(run).toMatchObject({ status: 'failed', failure: { reason: 'budget_exhausted' } });
    await expectUntouched();
  });

  it('after an operator disabled the account: not done, and the run ends', async () => {
    const { runId, approval } = await asking(user, conversationId, 'withdraw 1.5 USDC');
    const runKey = uuidV5(runId, user.userId);
    await holdNextSegment(deployment, runKey);
    expect((await approve(user, approval)).status).toBe(200);
    await partOf(deployment, CommandBus).execute(new DisableUser(byOperator(user)));
    await freeLease(deployment, runKey);
    expectProblem(await user.get(`/agent-runs/${runId}`), 'account_disabled');
    const store = partOf(deployment, EventStore);
    const types = async () =>
      (await store.readStream(`conversation-${conversationId}`, 0, 100)).map(({ type }) => type);
    for (const deadline = performance.now() + 120_000; !(await types()).includes('run.ended');) {
      expect(performance.now()).toBeLessThan(deadline);
    }
    expect(await types()).not.toContain('operation.submitted');
    expect(await store.lastRevision(`operation-${uuidV5('agent_transfer', approval.id)}`)).toBe(-1);
  });

  it('while the provider is away: the run waits a while and goes on; the transfer settles when it is back', async () => {
    const { runId, approval } = await asking(user, conversationId, 'withdraw 1.5 USDC');
    await providerFault(deployment, { submit: 'timeout_after_accept' });
    expect((await approve(user, approval)).status).toBe(200);
    await untilEnded(user, runId);
    await providerFault(deployment, prompt);
    await moveClock(deployment, 600);
    expect(await outcomeOf(user, approval.id)).toMatchObject({ status: 'settled' });
    expect((await holdings(user))[usdc]).toBe('248500000');
  });
});

describe('while an operator has paused withdrawals', () => {
  const control = () => ({ control: 'withdrawals', ...byOperator(user) }) as const;
  afterEach(() => partOf(deployment, CommandBus).execute(new ResumeControl(control())));

  it('a run that asks for one gets an error, and no approval is opened', async () => {
    await partOf(deployment, CommandBus).execute(new PauseControl(control()));
    const run = await say(user, conversationId, 'withdraw 1.5 USDC');
    expect(run).toMatchObject({ status: 'completed', segment: 1 });
    const returned = (await journal(user, conversationId))
      .map(({ payload }) => payload)
      .filter(isReturn)
      .at(-1);
    expect(returned).toMatchObject({ outcome: 'error', result: { error: expect.stringMatching(/paused/) as string } });
  });

  it('one that was asked for before can be decided, and is not made', async () => {
    const { runId, approval } = await asking(user, conversationId, 'withdraw 1.5 USDC');
    await partOf(deployment, CommandBus).execute(new PauseControl(control()));
    expect((await approve(user, approval)).status).toBe(200);
    expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed', segment: 2 });
    const returned = (await journal(user, conversationId))
      .map(({ payload }) => payload)
      .filter(isReturn)
      .at(-1);
    expect(returned).toMatchObject({ outcome: 'error' });
    await expectUntouched();
  });
});

describe('a wallet that an operator disabled', () => {
  // No HTTP operation does this yet, so the event that the operators' API will record is appended here.
  async function disable(): Promise<void> {
    const stream = `wallet-${user.userId}`;
    const store = partOf(deployment, EventStore);
    const { cause } = byOperator(user);
    const event = { type: 'wallet.disabled', at: partOf(deployment, Clock).now(), reason: 'a test' } as const;
    const encoded = encodeEvent({ category: 'wallet' }, event, cause);
    const appended = await store.append(stream, [encoded], await store.lastRevision(stream));
    expect(appended.kind).toBe('appended');
  }

  it('stays so whatever its owner does, and moves nothing', async () => {
    const asked = await prepare(user, usdc, '1');
    const { runId, approval } = await asking(user, conversationId, 'withdraw 1.5 USDC');
    await disable();
    const ensured = await user.post('/wallet');
    expect([ensured.status, ensured.body]).toEqual([200, expect.objectContaining({ status: 'disabled' })]);
    expect((await user.get('/wallet')).body).toMatchObject({ status: 'disabled' });
    const change = 'wallet_disabled';
    expectProblem(await confirm(user, asked), 'withdrawal_changed', { change });
    const again = await user.post('/wallet/withdrawals', { tokenId: usdc, amountRaw: '1' });
    expectProblem(again, 'withdrawal_changed', { change });
    expectProblem(await user.get('/wallet/withdrawals/sources'), 'withdrawal_changed', { change });
    expect((await approve(user, approval)).status).toBe(200);
    expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed', segment: 2 });
    expect(await operationsOf(user)).toMatchObject([{ id: asked.operationId, status: 'prepared' }]);
  });
});

describe('a wallet whose session is rejected', () => {
  it('is not used by runs until its owner reconnects', async () => {
    await providerFault(deployment, { sessionRejected: true });
    await say(user, conversationId, 'withdraw 1.5 USDC');
    expect((await user.get('/wallet')).body).toMatchObject({ authStatus: 'authorization_required' });
    expect((await user.post('/wallet')).body).toMatchObject({ authStatus: 'ready' });
    const { runId, approval } = await asking(user, conversationId, 'withdraw 1.5 USDC');
    expect((await approve(user, approval)).status).toBe(200);
    await untilEnded(user, runId);
    expect(await outcomeOf(user, approval.id)).toMatchObject({ status: 'settled' });
  });
});

describe('a wallet whose provider is away at its first ensure', () => {
  it('exists as pending, and is connected by the next', async () => {
    const newcomer = await deployment.newUser();
    await providerFault(deployment, { down: true });
    expectProblem(await newcomer.post('/wallet'), 'provider_unavailable');
    const { body: pending } = await newcomer.get('/wallet');
    expect(pending).toMatchObject({ status: 'active', authStatus: 'pending' });
    await providerFault(deployment, { down: false });
    const { body } = await newcomer.post('/wallet');
    expect(body).toEqual({ ...pending, authStatus: 'ready' });
    expect((await newcomer.post('/wallet')).body).toEqual(body);
  });
});

it('keeps books that balance', async () => {
  expect(await auditMoney(deployment)).toEqual([]);
});

function isReturn({ type }: Record<string, unknown>): boolean {
  return type === 'tool.returned';
}
