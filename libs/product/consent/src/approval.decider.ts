import { accept, because, reject, unreachable } from '@app/kernel';
import type { ApprovalId, Decision, Instant, Personal, RunKey, ToolCallId } from '@app/kernel';
import type { ApprovalDecider, ApprovalEvent, ApprovalStatus } from './approval.events';

/** The state of an approval that decisions depend on. */
export interface ApprovalState {
  readonly approvalId: ApprovalId;
  readonly runKey: RunKey | null;
  /** The call that it was opened for; null where it does not belong to a run's call. */
  readonly toolCallId: ToolCallId | null;
  readonly fingerprint: string;
  readonly expiresAt: Instant;
  readonly status: ApprovalStatus;
  /** The reason for the denial, in the user's words. */
  readonly denialReason: Personal<string | null>;
}

export type ApprovalVerdict =
  { readonly status: 'approved' } | { readonly status: 'denied'; readonly denialReason: string | null };

export interface DecideApproval {
  readonly at: Instant;
  readonly approvalId: ApprovalId;
  readonly verdict: ApprovalVerdict;
  readonly decidedBy: ApprovalDecider;
}

export interface ExpireApproval {
  readonly at: Instant;
  readonly approvalId: ApprovalId;
}

/**
 * Decides an approval, once (docs/decisions/approvals.md). At or after `expiresAt` it records the expiry instead: the
 * events then lack the decision, which the caller checks. Rejected with `approval_not_pending` when it was decided, has
 * expired or never existed.
 */
export function decideApproval(command: DecideApproval, approval: ApprovalState | undefined): Decision<ApprovalEvent> {
  if (approval?.status !== 'pending') return reject(because('approval_not_pending'));
  if (command.at >= approval.expiresAt) return accept(timedOut(command.at, approval));
  const { at, approvalId, verdict, decidedBy } = command;
  const denialReason = verdict.status === 'denied' ? verdict.denialReason : null;
  const { runKey } = approval;
  return accept({ type: 'approval.decided', at, approvalId, status: verdict.status, decidedBy, denialReason, runKey });
}

/** Records the expiry; no-op before its time, and when repeated. */
export function expireApproval(command: ExpireApproval, approval: ApprovalState | undefined): Decision<ApprovalEvent> {
  if (approval?.status !== 'pending' || command.at < approval.expiresAt) return accept();
  return accept(timedOut(command.at, approval));
}

/** The event that ends an approval whose subject is over. */
export function endApproval(
  at: Instant,
  { approvalId, runKey }: ApprovalState,
  endedReason: Extract<ApprovalEvent, { type: 'approval.expired' }>['endedReason'],
): ApprovalEvent {
  return { type: 'approval.expired', at, approvalId, endedReason, runKey };
}

function timedOut(at: Instant, approval: ApprovalState): ApprovalEvent {
  return endApproval(at, approval, 'timeout');
}

/** The state of an approval that was just opened. */
export function openedApproval(event: Extract<ApprovalEvent, { type: 'approval.opened' }>): ApprovalState {
  const { approvalId, runKey, toolCallId, fingerprint, expiresAt } = event;
  return { approvalId, runKey, toolCallId, fingerprint, expiresAt, status: 'pending', denialReason: null };
}

/** Folds a decision or an end. */
export function evolveApproval(
  approval: ApprovalState,
  event: Exclude<ApprovalEvent, { type: 'approval.opened' }>,
): ApprovalState {
  switch (event.type) {
    case 'approval.decided':
      return { ...approval, status: event.status, denialReason: event.denialReason };
    case 'approval.expired':
      return { ...approval, status: 'expired' };
    default:
      return unreachable(event);
  }
}
