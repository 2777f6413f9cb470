import type { Contract, ContractAction } from '@app/consent';
import { words, asId, type ApprovalId, type Instant, type UserId, type WalletId } from '@app/kernel';
import { instant } from '@app/testing/deciders';
import type { OperationCommand } from '../src/operation/operation.decider';
import type { OperationEvent, OperationTerms } from '../src/operation/operation.events';
import type { OperationFailure, Submission } from '../src/provider/submission';
import type { SubmissionCommand } from '../src/operation/submission/submission.decider';

/** The instant of the use; sending ends a quarter of an hour later. */
export const at = instant('2026-03-01T10:00Z');
export const expiresAt = instant('2026-03-01T10:15Z');
export const operationId = '0b7a3b7e-0000-7000-8000-00000000000a';

const usdc = { tokenId: 'nep141:usdc', decimals: 6 };
const near = { tokenId: 'nep141:wrap.near', decimals: 24 };
const withdrawal: ContractAction = {
  kind: 'withdraw_to_owner',
  input: { pinned: usdc },
  quantity: { kind: 'exact_input_tokens', amountRaw: '1500000' },
};
const swap: ContractAction = {
  kind: 'swap',
  input: { pinned: usdc },
  output: { pinned: near },
  quantity: { kind: 'exact_input_tokens', amountRaw: '1500000' },
};

const contractOf = (...actions: readonly ContractAction[]): Contract => ({ type: 'ledger_intents_transfer', actions });

function termsOf(kind: OperationTerms['kind'], ...actions: readonly ContractAction[]): OperationTerms {
  return {
    kind,
    userId: asId<UserId>('0b7a3b7e-0000-5000-8000-000000000001'),
    walletId: asId<WalletId>('0b7a3b7e-0000-7000-8000-000000000002'),
    approvalId: asId<ApprovalId>('0b7a3b7e-0000-7000-8000-000000000003'),
    conversationId: null,
    runId: null,
    automationId: null,
    contract: contractOf(...actions),
    decidedBy: 'user',
    mainAccountId: 'ada.near',
    expiresAt,
  };
}

export const oneWithdrawal = termsOf('withdrawal', withdrawal);
/** Two actions: a swap, then a withdrawal. */
export const twoActions = termsOf('agent_transfer', swap, withdrawal);

const review = {
  fingerprint: 'sha256:reviewed',
  fingerprintVersion: 2 as const,
  input: { tokenId: usdc.tokenId, amountRaw: '1500000' },
  summary: words`Send.`,
  terms: [],
};
export const prepare: OperationCommand = { type: 'PrepareWithdrawal', at, terms: oneWithdrawal, review };
export const confirm = (fingerprint = review.fingerprint, when = at): OperationCommand => ({
  type: 'ConfirmWithdrawal',
  at: when,
  fingerprint,
});

export const prepared: OperationEvent = { type: 'operation.prepared', at, ...oneWithdrawal };
export const opened: OperationEvent = {
  type: 'approval.opened',
  at,
  approvalId: oneWithdrawal.approvalId,
  kind: 'withdrawal',
  tool: 'wallet_withdrawal',
  fingerprint: review.fingerprint,
  fingerprintVersion: 2,
  runId: null,
  expiresAt,
  userId: oneWithdrawal.userId,
  runKey: null,
  walletId: oneWithdrawal.walletId,
  toolCallId: null,
  automationId: null,
  input: review.input,
  contract: oneWithdrawal.contract,
  summary: review.summary,
  terms: review.terms,
};
const decision = { type: 'approval.decided', at, approvalId: oneWithdrawal.approvalId, decidedBy: 'user' } as const;
export const approved: OperationEvent = { ...decision, status: 'approved', denialReason: null, runKey: null };
export const denied = (denialReason: string | null): OperationEvent => ({
  ...decision,
  status: 'denied',
  denialReason,
  runKey: null,
});
export const expired = (when: Instant): OperationEvent => ({
  type: 'approval.expired',
  at: when,
  approvalId: oneWithdrawal.approvalId,
  endedReason: 'timeout',
  runKey: null,
});
export const confirmed: OperationEvent = { type: 'operation.confirmed', at };
export const used: OperationEvent = { type: 'operation.used', at, ...twoActions };

export function submissionOf(index: number, attempt = 1, deadline: Instant = expiresAt): Submission {
  const input = { tokenId: usdc.tokenId, amountRaw: '1500000' };
  return {
    key: `${operationId}/${index}/${attempt}`,
    attempt,
    bytes: 'bytes',
    input,
    output: { tokenId: near.tokenId, amountRaw: '7' },
    leastOutput: null,
    quote: null,
    deadline,
  };
}

/** The worth of the input of `submissionOf`. */
export const worthUsd = '1.5';

export const journal = (index: number, attempt = 1): SubmissionCommand => ({
  type: 'JournalSubmission',
  at,
  index,
  submission: submissionOf(index, attempt),
  worthUsd,
});
export const journaled = (index: number, attempt = 1, deadline: Instant = expiresAt): OperationEvent => ({
  type: 'submission.journaled',
  at,
  index,
  submission: submissionOf(index, attempt, deadline),
  worthUsd,
});

export const reference = 'ref-1';
export const accepted = (index: number): OperationEvent => ({
  type: 'submission.accepted',
  at,
  index,
  providerReference: reference,
});
export const refused = (index: number): OperationEvent => ({ type: 'submission.refused', at, index, failure });
export const settled = (index: number): OperationEvent => ({
  type: 'action.settled',
  at,
  index,
  output: null,
  returned: null,
});
export const operationSettled: OperationEvent = { type: 'operation.settled', at };
export const unresolved: OperationEvent = { type: 'operation.unresolved', at };
export const failure: OperationFailure = { reason: 'provider_rejected', text: words`No.` };
export const failed = (index: number, why = failure): OperationEvent[] => [
  { type: 'action.failed', at, index, failure: why },
  { type: 'operation.failed', at, failure: why },
];
