import { openOr } from '@app/kernel';
import type { ConversationEvent } from '@app/conversations';
import type { Asked, Scripted } from '@app/testing/models';
import { randomUUID } from 'node:crypto';
import { answered, type Approval, usdc } from '@app/testing/journeys';
import type { TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';

const endedWithinMs = 180_000;

const contract = {
  type: 'ledger_intents_transfer',
  actions: [
    {
      kind: 'withdraw_to_owner',
      input: { pinned: { tokenId: usdc, decimals: 6 } },
      quantity: { kind: 'exact_input_tokens', amountRaw: '1500000' },
    },
  ],
};

/**
 * Three steps: two parallel calls, then one call parallel to a transfer that the user must approve, then the answer.
 */
const steps: readonly { readonly text: readonly string[]; readonly tools: readonly string[] }[] = [
  { text: ['I ', 'look ', 'first.'], tools: ['current_time', 'token_price'] },
  { text: ['Now ', 'the ', 'transfer.'], tools: ['wallet_balances', 'intents_transfer'] },
  { text: ['It ', 'is ', 'done.'], tools: [] },
];
const inputs: Readonly<Record<string, object>> = { token_price: { symbol: 'NEAR' }, intents_transfer: { contract } };

/** The scripted model's reply: the step that follows those in the request. */
export function scriptedSteps({ messages }: Asked): Scripted {
  const begun = messages.findLastIndex(({ role }) => role === 'user');
  const { text = [], tools = [] } =
    steps[messages.slice(begun + 1).filter(({ role }) => role === 'assistant').length] ?? {};
  // Reason for the assertion: it was written above, as JSON.
  const calls = tools.map((tool) => ({ tool, input: JSON.parse(JSON.stringify(inputs[tool] ?? {})) as null }));
  return { text, calls, pauseMs: 10 };
}

/** All texts and calls in a run's journal, in order. Kills must not change them. */
export const expectedTold: readonly string[] = steps.flatMap(({ text, tools }) => [text.join(''), ...tools]);

export function toldIn(events: readonly ConversationEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === 'agent.message') return [openOr(event.text, '')];
    return event.type === 'tool.called' ? [event.tool] : [];
  });
}

/** Starts a run on the script, approves its transfer, and waits for its end, whatever dies meanwhile. */
export async function transferByRun(user: TestClient): Promise<{ conversationId: string; runId: string }> {
  const { body } = await answered(() => user.post<{ id: string }>('/conversations', {}));
  const asked = { conversationId: body.id, runId: randomUUID(), input: { text: 'withdraw 1.5 USDC' } };
  await answered(() => user.post('/agent-runs', asked));
  const waiting = await untilStatus(user, asked.runId, 'awaiting_approval');
  const [approvalId] = waiting['pendingApprovalIds'] as string[]; // reason for the assertion: the specification's run
  const approval = await answered(() => user.get<Approval>(`/approvals/${approvalId}`), { orStatus: 404 });
  const { fingerprint } = approval.body;
  // It may have been decided although the answer was lost; then it is not pending any more.
  await answered(() => user.post(`/approvals/${approvalId}/approve`, { fingerprint }), { orStatus: 409 });
  await untilStatus(user, asked.runId, 'completed');
  return { conversationId: body.id, runId: asked.runId };
}

async function untilStatus(user: TestClient, runId: string, status: string): Promise<Record<string, unknown>> {
  let last: Record<string, unknown> = {};
  const look = async () => {
    last = (await answered(() => user.get(`/agent-runs/${runId}`), { orStatus: 404 })).body;
    if (last['status'] === 'failed') throw new Error(`run ${runId} is ${JSON.stringify(last)}, not ${status}`);
    return last['status'] === status ? last : null;
  };
  return until(() => `run ${runId} that is ${status}, not ${JSON.stringify(last)},`, look, endedWithinMs);
}
