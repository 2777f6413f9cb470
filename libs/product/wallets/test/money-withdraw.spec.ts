/** An agent that wants to move funds stops, shows the exact contract, and continues after the user's decision. */
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { auditMoney } from '@app/testing/audits';
import {
  anInstant,
  approvalOf,
  approve,
  asking,
  aUuid,
  conversationOf,
  expectProblem,
  holdings,
  journal,
  journalTypes,
  moveClock,
  newOwner,
  operationsOf,
  outcomeOf,
  prompt,
  providerFault,
  untilEnded,
  usdc,
} from '@app/testing/journeys';
import { until } from '@app/testing/until';

let deployment: Deployment;
let user: TestClient;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { BUDGET_DAY_CENTS: '100000' } });
  await providerFault(deployment, prompt);
});
beforeEach(async () => {
  user = await newOwner(deployment);
});
afterAll(() => deployment.stop());

const dayAndASecond = 86_401;
const withdrawal = {
  type: 'ledger_intents_transfer',
  actions: [
    {
      kind: 'withdraw_to_owner',
      input: { pinned: { tokenId: usdc, decimals: 6 } },
      quantity: { kind: 'exact_input_tokens', amountRaw: '1500000' },
    },
  ],
};

describe('withdraw 1.5 USDC', () => {
  it('waits with an approval that says exactly what would be done', async () => {
    const conversationId = await conversationOf(user);
    const { runId, approval } = await asking(user, conversationId, 'withdraw 1.5 USDC');
    expect(approval).toEqual({
      id: aUuid,
      kind: 'agent_tool',
      tool: 'intents_transfer',
      fingerprint: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
      input: { contract: withdrawal },
      contract: withdrawal,
      status: 'pending',
      conversationId,
      runId,
      toolCallId: `${runId}/2/0`,
      operationId: null,
      automationId: null,
      openedAt: anInstant,
      expiresAt: anInstant,
      decidedAt: null,
      decidedBy: null,
      denialReason: null,
      endedReason: null,
      summary: expect.stringMatching(/1\.5 USDC/) as string,
      terms: [
        { name: 'what', text: 'Withdraw 1.5 USDC to your main account' },
        { name: 'at most', text: '1.5 USDC' },
        { name: 'how often', text: 'Once' },
        { name: 'to whom', text: 'Your main account' },
      ],
    });
    // The time runs from the review, a moment before the opening is journaled.
    const pendingMs = Date.parse(approval.expiresAt) - Date.parse(String(approval['openedAt']));
    expect(pendingMs).toBeGreaterThan(86_400_000 - 5_000);
    expect(pendingMs).toBeLessThanOrEqual(86_400_000);
    expect((await user.get(`/conversations/${conversationId}`)).body).toMatchObject({
      status: 'awaiting_approval',
      liveRunId: null,
      pendingApprovals: 1,
    });
    expect((await user.get(`/agent-runs/${runId}`)).body).toMatchObject({
      status: 'awaiting_approval',
      segment: 1,
      pendingApprovalIds: [approval.id],
      response: null,
      endedAt: null,
    });
    expect(await operationsOf(user)).toEqual([]);
    expect((await holdings(user))[usdc]).toBe('250000000');
  });

  it('approved with its fingerprint: completed under the same id in segment 2, settled, 248.5 USDC left', async () => {
    const conversationId = await conversationOf(user);
    const { runId, approval } = await asking(user, conversationId, 'Withdraw   1.5  usdc');
    const decided = await approve(user, approval);
    expect([decided.status, decided.body]).toEqual([200, { decided: true }]);
    expect(await approvalOf(user, approval.id)).toMatchObject({
      status: 'approved',
      decidedBy: 'user',
      decidedAt: anInstant,
      denialReason: null,
      endedReason: null,
    });
    expect(await untilEnded(user, runId)).toMatchObject({
      id: runId,
      conversationId,
      status: 'completed',
      segment: 2,
      pendingApprovalIds: [],
      failure: null,
      response: { text: expect.any(String) as string },
    });
    const operation = await outcomeOf(user, approval.id);
    expect(operation).toEqual({
      id: aUuid,
      kind: 'agent_transfer',
      status: 'settled',
      approvalId: approval.id,
      conversationId,
      runId,
      automationId: null,
      contract: withdrawal,
      actions: [
        {
          index: 0,
          kind: 'withdraw_to_owner',
          status: 'settled',
          input: { tokenId: usdc, amountRaw: '1500000' },
          output: null,
          leastOutput: null,
          returned: null,
          providerReference: expect.any(String) as string,
        },
      ],
      failure: null,
      createdAt: anInstant,
      updatedAt: anInstant,
      settledAt: anInstant,
    });
    // Until the read models have the settlement too, the amount counts twice, which is the safe error.
    await until('248.5 USDC', async () => ((await holdings(user))[usdc] === '248500000' ? true : null));
    expect((await user.get(`/conversations/${conversationId}`)).body).toMatchObject({
      status: 'idle',
      liveRunId: null,
      pendingApprovals: 0,
    });
  });

  it('denied: completed without the transfer, the denial’s reason in its place', async () => {
    const conversationId = await conversationOf(user);
    const { runId, approval } = await asking(user, conversationId, 'withdraw 1.5 USDC');
    const denied = await user.post(`/approvals/${approval.id}/deny`, { reason: 'not today' });
    expect([denied.status, denied.body]).toEqual([200, { decided: true }]);
    expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed', segment: 2, pendingApprovalIds: [] });
    expect(await approvalOf(user, approval.id)).toMatchObject({
      status: 'denied',
      decidedBy: 'user',
      denialReason: 'not today',
      operationId: null,
    });
    const returned = (await journal(user, conversationId))
      .map(({ payload }) => payload)
      .filter(isReturn)
      .at(-1);
    expect(returned).toMatchObject({ outcome: 'denied', result: { reason: 'not today' } });
    expectProblem(await approve(user, approval), 'approval_not_pending');
    expect(await operationsOf(user)).toEqual([]);
    expect((await holdings(user))[usdc]).toBe('250000000');
  });

  it('left until it expires: failed, approval_expired, and nothing moves', async () => {
    const conversationId = await conversationOf(user);
    const { runId, approval } = await asking(user, conversationId, 'withdraw 1.5 USDC');
    await moveClock(deployment, dayAndASecond);
    expect((await user.get(`/agent-runs/${runId}`)).body).toMatchObject({
      status: 'failed',
      segment: 1,
      pendingApprovalIds: [],
      endedAt: anInstant,
      failure: { reason: 'approval_expired', text: expect.any(String) as string },
    });
    expect(await approvalOf(user, approval.id)).toMatchObject({
      status: 'expired',
      endedReason: 'timeout',
      decidedAt: null,
      decidedBy: null,
    });
    expect((await journalTypes(user, conversationId)).slice(-4)).toEqual([
      'run.suspended',
      'approval.expired',
      'tool.returned',
      'run.ended',
    ]);
    expectProblem(await approve(user, approval), 'approval_not_pending');
    expectProblem(await user.post(`/approvals/${approval.id}/deny`), 'approval_not_pending');
    expect(await operationsOf(user)).toEqual([]);
    expect((await holdings(user))[usdc]).toBe('250000000');
  });

  it('aborted while it waits: aborted, the approval ends with the run, and nothing moves', async () => {
    const conversationId = await conversationOf(user);
    const { runId, approval } = await asking(user, conversationId, 'withdraw 1.5 USDC');
    const aborted = await user.post(`/agent-runs/${runId}/abort`);
    expect([aborted.status, aborted.body]).toEqual([200, { aborted: true }]);
    expect((await user.get(`/agent-runs/${runId}`)).body).toMatchObject({
      status: 'aborted',
      segment: 1,
      pendingApprovalIds: [],
    });
    expect(await approvalOf(user, approval.id)).toMatchObject({ status: 'expired', endedReason: 'run_ended' });
    expectProblem(await approve(user, approval), 'approval_not_pending');
    expect((await user.post(`/agent-runs/${runId}/abort`)).body).toEqual({ aborted: false });
    expect((await user.get(`/conversations/${conversationId}`)).body).toMatchObject({
      status: 'idle',
      pendingApprovals: 0,
    });
    expect((await holdings(user))[usdc]).toBe('250000000');
  });
});

it('keeps books that balance', async () => {
  expect(await auditMoney(deployment)).toEqual([]);
});

function isReturn({ type }: Record<string, unknown>): boolean {
  return type === 'tool.returned';
}
