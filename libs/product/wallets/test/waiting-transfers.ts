import type { TestClient } from '@app/testing/client';
import type { Deployment } from '@app/testing/deployment';
import {
  type Approval,
  approvalOf,
  approve,
  expectProblem,
  journal,
  leavesNoTrace,
  outcomeOf,
  start,
  untilEnded,
  untilStatus,
} from '@app/testing/journeys';

/** A run that asks for three transfers in parallel, and their approvals. */
export async function threeTransfers(user: TestClient, conversationId: string) {
  const text = 'withdraw 1 USDC and withdraw 2 USDC and withdraw 3 USDC';
  const { status, body } = await start(user, conversationId, text);
  expect(status).toBe(202);
  const run = await untilStatus(user, body.runId, 'awaiting_approval');
  const ids = run['pendingApprovalIds'] as string[]; // reason for the assertion: docs/decisions/runs.md
  expect(ids).toHaveLength(3);
  const approvals = await Promise.all(ids.map((id) => approvalOf(user, id)));
  // Reason for the assertion: just counted.
  return { runId: body.runId, approvals: approvals as [Approval, Approval, Approval] };
}

export const deny = (user: TestClient, { id }: Approval) => user.post(`/approvals/${id}/deny`);

/** Approves, and expects the run to complete in its second segment and the money to be moved. */
export async function carriesOn(user: TestClient, runId: string, approval: Approval): Promise<void> {
  expect((await approve(user, approval)).status).toBe(200);
  expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed', segment: 2 });
  expect(await outcomeOf(user, approval.id)).toMatchObject({ status: 'settled' });
}

/** Expects the refused request to leave the approval pending and nothing recorded. */
export async function staysPending(
  deployment: Deployment,
  user: TestClient,
  approval: Approval,
  ask: () => Promise<void>,
): Promise<void> {
  await leavesNoTrace(deployment, user, ask);
  expect(await approvalOf(user, approval.id)).toMatchObject({ status: 'pending', decidedAt: null });
}

/** Expects either decision to be refused for the reason and to leave no trace. */
export async function cannotBeDecided(
  deployment: Deployment,
  user: TestClient,
  approval: Approval,
  reason: Parameters<typeof expectProblem>[1],
): Promise<void> {
  await staysPending(deployment, user, approval, async () => {
    expectProblem(await approve(user, approval), reason);
    expectProblem(await deny(user, approval), reason);
  });
}

/** The journaled resumes of a conversation's runs. */
export async function resumesIn(user: TestClient, conversationId: string): Promise<object[]> {
  const payloads = (await journal(user, conversationId)).map(({ payload }) => payload);
  return payloads.filter(({ type }) => type === 'run.resumed');
}
