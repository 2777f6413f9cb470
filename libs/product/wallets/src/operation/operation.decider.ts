import { decideApproval, endApproval, expireApproval } from '@app/consent';
import type { ConsentWords, DecideApproval, ExpireApproval, FingerprintVersion } from '@app/consent';
import { accept, because, notFound, reject, unreachable, withdrawalChanged } from '@app/kernel';
import type { Decider, Decision, Instant, JsonValue } from '@app/kernel';
import type { OperationEvent, OperationTerms } from './operation.events';
import { evolveOperation, type OperationState } from './operation.state';
import { decideSubmission, type SubmissionCommand } from './submission/submission.decider';

export type OperationCommand =
  | PrepareWithdrawal
  | { readonly type: 'ConfirmWithdrawal'; readonly at: Instant; readonly fingerprint: string }
  | { readonly type: 'UseApproval'; readonly at: Instant; readonly terms: OperationTerms }
  | ({ readonly type: 'DecideApproval' } & DecideApproval)
  | ({ readonly type: 'ExpireApproval' } & ExpireApproval)
  /** Ends a withdrawal that waits for its confirmation, because its account is closed. */
  | { readonly type: 'EndPrepared'; readonly at: Instant }
  | SubmissionCommand;

/** Opens a direct withdrawal, which waits for its user's confirmation until the terms expire. */
export interface PrepareWithdrawal {
  readonly type: 'PrepareWithdrawal';
  readonly at: Instant;
  readonly terms: OperationTerms;
  /** The parts of the review in addition to the contract. */
  readonly review: ConsentWords & {
    readonly fingerprint: string;
    readonly fingerprintVersion: FingerprintVersion;
    readonly input: JsonValue;
  };
}

/** The rules of a financial operation (docs/decisions/money.md): used once, one submission in flight, ended once. */
export const operationDecider: Decider<OperationState | null, OperationCommand, OperationEvent> = {
  initialState: null,

  // A command with an action index is about that action's submission.
  decide: (command, state) => ('index' in command ? decideSubmission(command, state) : decideUse(command, state)),

  evolve: evolveOperation,
};

function decideUse(
  command: Exclude<OperationCommand, SubmissionCommand>,
  state: OperationState | null,
): Decision<OperationEvent> {
  switch (command.type) {
    case 'PrepareWithdrawal':
      return state === null ? prepare(command) : accept();
    case 'ConfirmWithdrawal':
      return confirm(command, state);
    case 'UseApproval':
      // The stream's name derives from the approval, so that its existence records the single use.
      return state === null ? accept({ type: 'operation.used', at: command.at, ...command.terms }) : accept();
    case 'DecideApproval':
      return decideWithdrawal(command, state);
    case 'ExpireApproval':
      return expireApproval(command, state?.approval ?? undefined);
    case 'EndPrepared': {
      const approval = state?.status === 'prepared' ? state.approval : null;
      return approval?.status === 'pending' ? accept(endApproval(command.at, approval, 'superseded')) : accept();
    }
    default:
      return unreachable(command);
  }
}

function prepare({ at, terms, review }: PrepareWithdrawal): Decision<OperationEvent> {
  const { approvalId, userId, walletId, expiresAt, contract } = terms;
  return accept(
    { type: 'operation.prepared', at, ...terms },
    {
      type: 'approval.opened',
      at,
      approvalId,
      kind: 'withdrawal',
      tool: 'wallet_withdrawal',
      fingerprint: review.fingerprint,
      fingerprintVersion: review.fingerprintVersion,
      runId: null,
      expiresAt,
      userId,
      runKey: null,
      walletId,
      toolCallId: null,
      automationId: null,
      input: review.input,
      contract,
      summary: review.summary,
      terms: review.terms,
    },
  );
}

type Confirm = Extract<OperationCommand, { readonly type: 'ConfirmWithdrawal' }>;

/** Records decision and use together; from the expiry on, the expiry instead, without `operation.confirmed`. */
function confirm({ at, fingerprint }: Confirm, state: OperationState | null): Decision<OperationEvent> {
  if (state?.approval == null) return reject(notFound);
  const { approval, status } = state;
  if (status !== 'prepared') return reject(withdrawalChanged(status === 'expired' ? 'expired' : 'not_prepared'));
  if (fingerprint !== approval.fingerprint) return reject(withdrawalChanged('fingerprint'));
  const { approvalId } = approval;
  const decided = decideApproval({ at, approvalId, verdict: { status: 'approved' }, decidedBy: 'user' }, approval);
  if (!decided.accepted) return decided;
  const approved = decided.events.some(({ type }) => type === 'approval.decided');
  return accept<OperationEvent>(...decided.events, ...(approved ? [{ type: 'operation.confirmed', at } as const] : []));
}

/** Denies a direct withdrawal; only `wallets.confirmWithdrawal` approves one (docs/decisions/approvals.md). */
function decideWithdrawal(command: DecideApproval, state: OperationState | null): Decision<OperationEvent> {
  const approval = state?.approval ?? undefined;
  if (approval?.approvalId !== command.approvalId || command.verdict.status === 'approved')
    return reject(because('approval_not_pending'));
  return decideApproval(command, approval);
}
