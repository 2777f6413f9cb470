import {
  accept,
  because,
  reject,
  unreachable,
  type ApprovalId,
  type Decision,
  type Instant,
  type RunKey,
  type ToolCallId,
} from '@app/kernel';
import type { ApprovalDecider, ApprovalEvent, ApprovalStatus } from './approval.events';

/** An approval as far as decisions on it depend on it. */
export interface ApprovalState {
  readonly approvalId: ApprovalId;
  readonly runKey: RunKey | null;
  /** The call that it was opened for; null where it is no call of a run's. */
  readonly toolCallId: ToolCallId | null;
  readonly fingerprint: string;
  readonly expiresAt: Instant;
  readonly status: ApprovalStatus;
  /** Why it was denied, in the user's words. */
  readonly denialReason: string | null;
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
 * A decision, once (docs/decisions/approvals.md). At or after `expiresAt` it records the expiry instead: the caller sees that the
 * decision is not among the events. Refused with `approval_not_pending` when it was decided, has expired or never was.
 */
export function decideApproval(command: DecideApproval, approval: ApprovalState | undefined): Decision<ApprovalEvent> {
  if (approval?.status !== 'pending') return reject(because('approval_not_pending'));
  if (command.at >= approval.expiresAt) return accept(timedOut(command.at, approval));
  const { at, approvalId, verdict, decidedBy } = command;
  const denialReason = verdict.status === 'denied' ? verdict.denialReason : null;
  const { runKey } = approval;
  return accept({ type: 'approval.decided', at, approvalId, status: verdict.status, decidedBy, denialReason, runKey });
}

/** Records that the time is over; no-op before that, and when repeated. */
export function expireApproval(command: ExpireApproval, approval: ApprovalState | undefined): Decision<ApprovalEvent> {
  if (approval?.status !== 'pending' || command.at < approval.expiresAt) return accept();
  return accept(timedOut(command.at, approval));
}

/** What was asked is over, and the approval with it. */
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

/** Folds what came of it. */
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
