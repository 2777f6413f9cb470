/**
 * Under every fault of the wallet provider: exactly one settlement, or a failure that says what happened to the money.
 */
import { auditMoney } from '@app/testing/audits';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import {
  approve,
  asking,
  confirm,
  conversationOf,
  expectProblem,
  holdings,
  moveClock,
  newOwner,
  type Operation,
  outcomeOf,
  prepare,
  prompt,
  providerFault,
  quiet,
  say,
  sql,
  untilEnded,
  untilOperation,
  usdc,
  wrappedNear,
} from '@app/testing/journeys';

let deployment: Deployment;
let user: TestClient;
beforeAll(async () => {
  const env = { LOG_LEVEL: 'silent', BUDGET_DAY_CENTS: '100000' };
  deployment = await startDeployment({ mode: 'in-process', env });
});
beforeEach(async () => {
  await deployment.sandbox('PUT', 'faults', { provider: prompt, model: { delayMs: 0 } });
  user = await newOwner(deployment);
});
afterEach(async () => {
  expect(await auditMoney(deployment)).toEqual([]);
});
afterAll(() => deployment.stop());

/** Longer than a submission's deadline plus the wait for the provider's final answer. */
const anHour = 3_600;
const amountRaw = '100000001';

/** The operation of a confirmed withdrawal, which the provider answers with the fault, if any. */
async function confirmed(fault: object = {}): Promise<string> {
  await providerFault(deployment, fault);
  const asked = await prepare(user, usdc, amountRaw);
  expect((await confirm(user, asked)).status).toBe(202);
  return asked.operationId;
}

/** How often the provider accepted a submission of an operation. */
async function takenFor(operationId: string): Promise<number> {
  const [row] = await sql<{ count: number }>(
    deployment,
    `SELECT count(*)::integer AS count FROM sandbox_orders
     WHERE key LIKE $1 || '/%' AND status IN ('accepted', 'settled', 'refunded')`,
    [operationId],
  );
  return row?.count ?? 0;
}

async function settlesOnce(operationId: string): Promise<void> {
  expect(await untilOperation(user, operationId)).toMatchObject({
    status: 'settled',
    failure: null,
    actions: [{ status: 'settled', input: { tokenId: usdc, amountRaw } }],
  });
  expect(await takenFor(operationId)).toBe(1);
  expect((await holdings(user))[usdc]).toBe('149999999');
}

async function failsWith(operationId: string, reason: string, actionStatus: string): Promise<Operation> {
  const operation = await untilOperation(user, operationId);
  expect(operation).toMatchObject({
    status: 'failed',
    settledAt: null,
    failure: { reason, text: expect.any(String) as string },
    actions: [{ status: actionStatus }],
  });
  return operation;
}

describe('a direct withdrawal', () => {
  it('settles after the delay that the provider has, and not before', async () => {
    const operationId = await confirmed({ settleAfterSeconds: 600 });
    const taken = await untilOperation(user, operationId, 'submitted');
    expect(taken).toMatchObject({ settledAt: null });
    await quiet(deployment);
    expect(await untilOperation(user, operationId, 'submitted')).toMatchObject({ actions: [{ status: 'submitted' }] });
    expect((await holdings(user))[usdc]).toBe('149999999');
    await moveClock(deployment, 601);
    await settlesOnce(operationId);
  });

  it.each([
    ['rejected', 'provider_rejected, nothing moved', 'reject', 'provider_rejected', 'failed'],
    ['refunded', 'refunded, everything is back', 'refund', 'refunded', 'refunded'],
  ])('that is %s: failed, %s', async (_kind, _outcome, submit, reason, actionStatus) => {
    await failsWith(await confirmed({ submit }), reason, actionStatus);
    expect((await holdings(user))[usdc]).toBe('250000000');
  });

  it('that is delivered in part: failed, refunded, and says what was delivered; the rest is back', async () => {
    const operation = await failsWith(await confirmed({ submit: 'partial_fill' }), 'refunded', 'refunded');
    expect(operation.actions[0]).toMatchObject({ output: { tokenId: usdc, amountRaw: '50000000' } });
    expect((await holdings(user))[usdc]).toBe('200000000');
  });

  it('whose answer never came although it was taken: asked about, not sent again', async () => {
    const operationId = await confirmed({ submit: 'timeout_after_accept' });
    await quiet(deployment);
    await moveClock(deployment, 60);
    await settlesOnce(operationId);
  });

  it('that was never taken: sent again while it may, and settled once', async () => {
    const operationId = await confirmed({ submit: 'timeout_before_accept' });
    await quiet(deployment);
    expect(await takenFor(operationId)).toBe(0);
    await providerFault(deployment, prompt);
    await moveClock(deployment, 60);
    await settlesOnce(operationId);
  });

  it('that was not taken before its deadline: signed again, and settled once', async () => {
    const operationId = await confirmed({ submit: 'timeout_before_accept' });
    await quiet(deployment);
    await moveClock(deployment, 240);
    await providerFault(deployment, prompt);
    await moveClock(deployment, 300);
    await settlesOnce(operationId);
  });

  it('that is never taken: failed, timed_out, nothing moved', async () => {
    const operationId = await confirmed({ submit: 'timeout_before_accept' });
    await moveClock(deployment, anHour);
    await failsWith(operationId, 'timed_out', 'failed');
    expect((await holdings(user))[usdc]).toBe('250000000');
  });

  it('that the provider does not find and then has settled: unresolved meanwhile, never sent again', async () => {
    const operationId = await confirmed({ submit: 'not_found_first', settleAfterSeconds: 600 });
    await moveClock(deployment, 60);
    await untilOperation(user, operationId, 'unresolved');
    await moveClock(deployment, 1_200);
    await settlesOnce(operationId);
  });

  it('that is told of twice: settled once', async () => {
    const operationId = await confirmed({ duplicateCallbacks: true, settleAfterSeconds: 5 });
    await moveClock(deployment, 60);
    await settlesOnce(operationId);
  });

  it('while the provider is away: waits, and settles when it is back', async () => {
    const operationId = await confirmed({ settleAfterSeconds: 60 });
    await quiet(deployment);
    await providerFault(deployment, { down: true });
    await moveClock(deployment, 300);
    expect((await user.get(`/financial-operations/${operationId}`)).body).toMatchObject({ status: 'submitted' });
    await providerFault(deployment, { down: false });
    await moveClock(deployment, 1_200);
    await settlesOnce(operationId);
  });

  it('whose session is rejected on the way: waits for its owner, who reconnects', async () => {
    const operationId = await confirmed({ settleAfterSeconds: 60 });
    await quiet(deployment);
    await providerFault(deployment, { sessionRejected: true });
    await moveClock(deployment, 300);
    expect((await user.get('/wallet')).body).toMatchObject({ authStatus: 'authorization_required' });
    expect((await user.post('/wallet')).body).toMatchObject({ authStatus: 'ready' });
    await settlesOnce(operationId);
  });

  it('of an asset whose price is gone: a withdrawal needs none', async () => {
    await providerFault(deployment, { unpriced: true });
    const { body } = await user.get<{ assets: Record<string, unknown>[] }>('/wallet/withdrawals/sources');
    expect(body.assets.map(({ priceUsdDecimal, valueUsdCents }) => [priceUsdDecimal, valueUsdCents])).toEqual(
      body.assets.map(() => [null, null]),
    );
    await settlesOnce(await confirmed());
  });

  it('of an asset whose decimals are gone: not prepared, and not confirmed', async () => {
    const asked = await prepare(user, usdc, amountRaw);
    await providerFault(deployment, { undescribed: true });
    const again = await user.post('/wallet/withdrawals', { tokenId: usdc, amountRaw: '1' });
    expectProblem(again, 'withdrawal_changed', { change: 'not_expressible' });
    expectProblem(await confirm(user, asked), 'withdrawal_changed', { change: 'not_expressible' });
    expect((await holdings(user))[usdc]).toBe('250000000');
  });
});

describe('a swap by an agent', () => {
  async function swapped(): Promise<{ run: Record<string, unknown>; operation: Operation }> {
    const { runId, approval } = await asking(user, await conversationOf(user), 'swap 5 USDC to NEAR');
    expect((await approve(user, approval)).status).toBe(200);
    const run = await untilEnded(user, runId);
    return { run, operation: await outcomeOf(user, approval.id) };
  }

  it('delivers what was quoted', async () => {
    await deployment.sandbox('PUT', `prices/${wrappedNear}`, { priceUsd: '2.5' });
    const { operation } = await swapped();
    expect(operation).toMatchObject({
      status: 'settled',
      actions: [{ status: 'settled', output: { tokenId: wrappedNear, amountRaw: '2000000000000000000000000' } }],
    });
    expect(await holdings(user)).toMatchObject({ [usdc]: '245000000', [wrappedNear]: '42000000000000000000000000' });
  });

  it.each([
    ['quote_moved', 'quote_expired', 'failed'],
    ['reject', 'provider_rejected', 'failed'],
  ])('%s: the run goes on with the error, the operation says %s', async (submit, reason, status) => {
    await providerFault(deployment, { submit });
    const { run, operation } = await swapped();
    expect(run).toMatchObject({ status: 'completed', segment: 2 });
    expect(operation).toMatchObject({ status: 'failed', failure: { reason }, actions: [{ status }] });
    expect((await holdings(user))[usdc]).toBe('250000000');
  });

  it('refunded after the run went on: the run has completed, the operation failed', async () => {
    await providerFault(deployment, { submit: 'refund', settleAfterSeconds: 2 });
    const { run, operation } = await swapped();
    expect(run).toMatchObject({ status: 'completed' });
    expect(operation).toMatchObject({ status: 'failed', failure: { reason: 'refunded' } });
    expect((await holdings(user))[usdc]).toBe('250000000');
  });

  it('without a price: refused by the provider', async () => {
    await providerFault(deployment, { unpriced: true });
    const { operation } = await swapped();
    expect(operation).toMatchObject({ status: 'failed', failure: { reason: 'provider_rejected' } });
  });

  it('without decimals: not even asked for', async () => {
    await providerFault(deployment, { undescribed: true });
    expect(await say(user, await conversationOf(user), 'swap 5 USDC to NEAR')).toMatchObject({
      status: 'completed',
      segment: 1,
    });
  });
});
