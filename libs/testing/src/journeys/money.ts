import type { Deployment } from '../deployment';
import type { Answer, TestClient } from '../client';
import { until } from '../until';
import { eventCount, type Listed, quiet, start, untilStatus } from './journeys';

export const usdc = 'nep141:17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1';
export const wrappedNear = 'nep141:wrap.near';
export const ether = 'nep141:eth.omft.near';
export const indescribable = 'nep245:v2_1.omni.hot.tg:1100_sandbox';

const overStatuses = ['settled', 'failed', 'expired', 'denied'];

/** The members of an approval that tests use. */
export interface Approval extends Record<string, unknown> {
  readonly id: string;
  readonly fingerprint: string;
  readonly status: string;
  readonly operationId: string | null;
  readonly expiresAt: string;
}

/** The members of a financial operation that tests use. */
export interface Operation extends Record<string, unknown> {
  readonly id: string;
  readonly status: string;
  readonly actions: readonly (Record<string, unknown> & { readonly status: string })[];
}

/** The answer of `wallets.prepareWithdrawal`. */
export interface Prepared extends Record<string, unknown> {
  readonly operationId: string;
  readonly approvalId: string;
  readonly fingerprint: string;
  readonly expiresAt: string;
}

/** Creates a user with a wallet that has its starting balance. */
export async function newOwner(deployment: Deployment): Promise<TestClient> {
  const user = await deployment.newUser();
  expect((await user.post('/wallet')).status).toBe(200);
  return user;
}

/** Returns the amounts that the wallet can spend, by token. */
export async function holdings(user: TestClient): Promise<Readonly<Record<string, string>>> {
  const { status, body } = await user.get<{ assets: { tokenId: string; amountRaw: string }[] }>(
    '/wallet/withdrawals/sources',
  );
  expect(status).toBe(200);
  return Object.fromEntries(body.assets.map(({ tokenId, amountRaw }) => [tokenId, amountRaw]));
}

/** Starts a run that asks to move money, and returns the approval that it waits for. */
export async function asking(
  user: TestClient,
  conversationId: string,
  text: string,
): Promise<{ readonly runId: string; readonly approval: Approval }> {
  const started = await start(user, conversationId, text);
  expect(started.status).toBe(202);
  const { runId } = started.body;
  return { runId, approval: await pendingOf(user, runId) };
}

/** Returns the only approval that a run waits for. */
export async function pendingOf(user: TestClient, runId: string): Promise<Approval> {
  const run = await untilStatus(user, runId, 'awaiting_approval', 'completed', 'failed');
  expect(run).toMatchObject({ status: 'awaiting_approval', pendingApprovalIds: [expect.any(String)] });
  const [approvalId] = run['pendingApprovalIds'] as string[]; // reason for the assertion: just checked
  return approvalOf(user, approvalId ?? '');
}

export async function approvalOf(user: TestClient, approvalId: string): Promise<Approval> {
  const { status, body } = await user.get<Approval>(`/approvals/${approvalId}`);
  expect(status).toBe(200);
  return body;
}

/** Approves with the approval's own fingerprint. */
export async function approve(user: TestClient, { id, fingerprint }: Approval): Promise<Answer> {
  return user.post(`/approvals/${id}/approve`, { fingerprint });
}

/** Waits until the operation's status is one of these, or, if none is given, until it is over; returns the operation. */
export async function untilOperation(
  user: TestClient,
  operationId: string | null,
  ...statuses: string[]
): Promise<Operation> {
  const wanted = statuses.length > 0 ? statuses : overStatuses;
  let last = '';
  const look = async () => {
    const { status, body } = await user.get<Operation>(`/financial-operations/${operationId}`);
    last = JSON.stringify(body);
    return status === 200 && wanted.includes(body.status) ? body : null;
  };
  return until(() => `an operation that is ${wanted.join(' or ')}, and not ${last},`, look);
}

/** Waits until the operation that an agent's approval was used for is over; returns it. */
export async function outcomeOf(user: TestClient, approvalId: string): Promise<Operation> {
  const { operationId } = await approvalOf(user, approvalId);
  return untilOperation(user, operationId);
}

export async function operationsOf(user: TestClient): Promise<readonly Operation[]> {
  return (await user.get<Listed<Operation>>('/financial-operations?limit=100')).body.data;
}

export async function prepare(user: TestClient, tokenId: string, amountRaw: string): Promise<Prepared> {
  const { status, body } = await user.post<Prepared>('/wallet/withdrawals', { tokenId, amountRaw });
  expect([status, body]).toEqual([200, expect.objectContaining({ operationId: expect.any(String) as string })]);
  return body;
}

export async function confirm(
  user: TestClient,
  { operationId, fingerprint }: Pick<Prepared, 'operationId' | 'fingerprint'>,
): Promise<Answer> {
  return user.post(`/wallet/withdrawals/${operationId}/confirm`, { fingerprint });
}

/** Moves the service's clock by the whole amount, in as many calls as needed. */
export async function moveClock(deployment: Deployment, advanceSeconds: number): Promise<void> {
  for (let left = advanceSeconds; left > 0;) {
    const moved = await deployment.sandbox<{ remainingSeconds: number }>('POST', 'clock', { advanceSeconds: left });
    left = moved.remainingSeconds;
  }
}

/** Sets how the provider misbehaves from now on. */
export async function providerFault(deployment: Deployment, provider: object): Promise<void> {
  await deployment.sandbox('PUT', 'faults', { provider });
}

/** Faults of a provider that does at once what it is asked. */
export const prompt = {
  submit: 'ok',
  settleAfterSeconds: 0,
  down: false,
  sessionRejected: false,
  duplicateCallbacks: false,
  unpriced: false,
  undescribed: false,
};

/** Runs a request that must be refused, and checks that nothing was recorded and no unit moved. */
export async function leavesNoTrace<Value>(
  deployment: Deployment,
  user: TestClient,
  ask: () => Promise<Value>,
): Promise<Value> {
  await quiet(deployment);
  const [events, held] = [await eventCount(deployment), await holdings(user)];
  const value = await ask();
  await quiet(deployment);
  expect(await eventCount(deployment)).toBe(events);
  expect(await holdings(user)).toEqual(held);
  return value;
}
