import type { TestClient } from '@app/testing/client';
import { anInstant, expectProblem } from '@app/testing/journeys';
import type { ApprovalsApp, Waiting } from '@app/testing/slices';

// Decisions of a user on the approvals that a run waits for. Reason for the assertions: each test names an approval that exists.

/** The answer to a decision that was recorded. */
export const decided = { status: 200, body: { decided: true } };

export const pathOf = ({ approvals }: Waiting, nth = 0) => `/approvals/${approvals[nth]!.approvalId}`;
export const approve = (user: TestClient, waiting: Waiting, nth = 0) =>
  user.post(`${pathOf(waiting, nth)}/approve`, { fingerprint: waiting.approvals[nth]!.fingerprint });
export const deny = (user: TestClient, waiting: Waiting, nth = 0) => user.post(`${pathOf(waiting, nth)}/deny`);
export const statusOf = async (user: TestClient, waiting: Waiting, nth = 0) =>
  (await user.get(pathOf(waiting, nth))).body['status'];

/** The first approval, pending, exactly as it must be shown. */
export function pendingView({ conversationId, runId, approvals }: Waiting): object {
  const open = approvals[0]!;
  return {
    id: open.approvalId,
    kind: 'agent_tool',
    tool: 'intents_transfer',
    fingerprint: open.fingerprint,
    input: open.input,
    contract: open.contract,
    status: 'pending',
    conversationId,
    runId,
    toolCallId: open.toolCallId,
    operationId: null,
    automationId: null,
    openedAt: anInstant,
    expiresAt: open.expiresAt,
    decidedAt: null,
    decidedBy: null,
    denialReason: null,
    endedReason: null,
    summary: open.summary,
    terms: open.terms,
  };
}

/** Either decision is refused for the reason; nothing is recorded, no slot is taken, and the approval stays pending. */
export async function cannotBeDecided(
  app: ApprovalsApp,
  user: TestClient,
  waiting: Waiting,
  reason: Parameters<typeof expectProblem>[1],
  nth = 0,
): Promise<void> {
  for (const decide of [approve, deny]) {
    const [{ lastSeq }, slots] = [await app.state(waiting.conversationId), await app.slots()];
    expectProblem(await decide(user, waiting, nth), reason);
    expect((await app.state(waiting.conversationId)).lastSeq).toBe(lastSeq);
    expect(await app.slots()).toEqual(slots);
    expect(await statusOf(user, waiting, nth)).toBe('pending');
  }
}
