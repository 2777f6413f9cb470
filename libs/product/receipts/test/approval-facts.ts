import type { AutomationEvent } from '@app/automations';
import { fingerprintOf } from '@app/canonical';
import { reviewedDocument, type ApprovalEvent, type Contract } from '@app/consent';
import {
  words,
  asId,
  instantOf,
  type ApprovalId,
  type AutomationId,
  type ConversationId,
  type Instant,
  type RunId,
  type RunKey,
  type ToolCallId,
  type UserId,
  type WalletId,
  type WithOpenWords,
} from '@app/kernel';
import { agentOperationId, type OperationEvent, type OperationTerms } from '@app/wallets';

export const ids = {
  userId: asId<UserId>('5d0f3a52-6f0e-5a4c-9a8b-6a1d3f0b7c11'),
  walletId: asId<WalletId>('0190c3c2-0000-7000-8000-000000000001'),
  approvalId: asId<ApprovalId>('0190c3c2-0000-7000-8000-000000000002'),
  conversationId: asId<ConversationId>('0190c3c2-0000-7000-8000-000000000003'),
  runId: asId<RunId>('0190c3c2-0000-7000-8000-000000000004'),
  runKey: asId<RunKey>('0190c3c2-0000-7000-8000-000000000005'),
  withdrawalId: '0190c3c2-0000-7000-8000-000000000006',
  contractApprovalId: asId<ApprovalId>('0190c3c2-0000-7000-8000-000000000007'),
  automationId: asId<AutomationId>('0190c3c2-0000-7000-8000-000000000008'),
};

/** An instant of the history, in seconds from its beginning. */
export function at(seconds: number): Instant {
  return instantOf(Date.parse('2026-05-04T10:00:00.000Z') + seconds * 1000);
}

const contract: Contract = {
  type: 'ledger_intents_transfer',
  actions: [
    {
      kind: 'withdraw_to_owner',
      input: { pinned: { tokenId: 'nep141:wrap.near', decimals: 24 } },
      quantity: { kind: 'exact_input_tokens', amountRaw: '1500000' },
    },
  ],
};

type ContractUsed = Extract<AutomationEvent, { type: 'contract.used' }>;
type Opened = WithOpenWords<Extract<ApprovalEvent, { type: 'approval.opened' }>>;

/** The opening of an agent's approval; `changes` are made before it is fingerprinted. */
export function opened(changes: Partial<Opened> = {}): Opened {
  const { approvalId, userId, walletId, runId, runKey } = ids;
  const review = {
    approvalId,
    userId,
    walletId,
    contract,
    expiresAt: at(86_400),
    kind: 'agent_tool' as const,
    tool: 'intents_transfer',
    input: { contract, note: 'Grüße, "quoted"', z: 1, 10: 'ten', a: [1.5, null, -0.25] } as unknown as Opened['input'],
    summary: words`Withdraw 1.5 USDC to your account.`,
    terms: [{ name: 'what' as const, text: words`Withdraw 1.5 USDC to your account` }],
    fingerprintVersion: 2 as const,
    ...changes,
  };
  return {
    type: 'approval.opened',
    at: at(0),
    runId,
    runKey,
    automationId: null,
    toolCallId: asId<ToolCallId>(`${runId}/1/0`),
    ...review,
    fingerprint: fingerprintOf(reviewedDocument(review)),
  };
}

/** The opening of an automation's contract, with the actions of the agent's approval. */
export function openedContract(changes: Partial<Opened> = {}): Opened {
  const none = { runId: null, runKey: null, toolCallId: null };
  const bounds = { maxUses: 3, perUseUsd: '10.5', totalUsd: '25', notAfter: at(600) };
  const { contractApprovalId, automationId } = ids;
  return opened({
    approvalId: contractApprovalId,
    automationId,
    kind: 'automation_contract',
    tool: 'automation_contract',
    input: { name: 'Return it' },
    contract: { ...contract, bounds },
    ...none,
    ...changes,
  });
}

/** The use of the contract for the agent's call. */
export function contractUsed(changes: Partial<ContractUsed> = {}): ContractUsed {
  const { approvalId, runId } = ids;
  const toolCallId = asId<ToolCallId>(`${runId}/1/0`);
  return { type: 'contract.used', at: at(40), toolCallId, approvalId, usd: '10.5', occurrence: null, ...changes };
}

export function openedWithdrawal(): Opened {
  const input = { tokenId: 'nep141:wrap.near', amountRaw: '1500000' };
  const none = { runId: null, runKey: null, toolCallId: null };
  return opened({ kind: 'withdrawal', tool: 'wallet_withdrawal', input, ...none });
}

export function decided(
  status: 'approved' | 'denied',
  seconds = 60,
): Extract<ApprovalEvent, { type: 'approval.decided' }> {
  const denialReason = status === 'denied' ? 'too much' : null;
  const { approvalId, runKey } = ids;
  return { type: 'approval.decided', at: at(seconds), approvalId, status, decidedBy: 'user', denialReason, runKey };
}

export const expired: ApprovalEvent = {
  type: 'approval.expired',
  at: at(86_400),
  approvalId: ids.approvalId,
  endedReason: 'timeout',
  runKey: ids.runKey,
};

export const operationId = agentOperationId(ids.approvalId);

export function terms(changes: Partial<OperationTerms> = {}): OperationTerms {
  const { userId, walletId, approvalId, conversationId, runId } = ids;
  return {
    kind: 'agent_transfer',
    userId,
    walletId,
    approvalId,
    conversationId,
    runId,
    automationId: null,
    contract,
    decidedBy: 'user',
    mainAccountId: 'a'.repeat(64),
    expiresAt: at(3_600),
    ...changes,
  };
}

/** The one action, sent once and settled. */
export function settledActions(id: string): OperationEvent[] {
  const input = { tokenId: 'nep141:wrap.near', amountRaw: '1500000' };
  const submission = {
    key: `${id}/0/1`,
    attempt: 1,
    bytes: '{"signed":true}',
    input,
    output: null,
    leastOutput: null,
    quote: null,
    deadline: at(200),
  };
  return [
    { type: 'submission.journaled', at: at(71), index: 0, submission, worthUsd: '3.75' },
    { type: 'submission.accepted', at: at(72), index: 0, providerReference: 'ref-1' },
    { type: 'action.settled', at: at(80), index: 0, output: null, returned: null },
    { type: 'operation.settled', at: at(80) },
  ];
}
