import type { ApprovalId, Instant } from '@app/kernel';

/** The kind of timers that expire approvals. */
export const approvalTimers = 'approval';

interface ApprovalTimer {
  readonly id: string;
  readonly kind: string;
  readonly dueAt: Instant;
  readonly payload: { readonly approvalId: ApprovalId; readonly stream: string };
}

/** The id of the timer that expires an approval. */
export function approvalTimerId(approvalId: ApprovalId): string {
  return `${approvalTimers}/${approvalId}`;
}

/**
 * The timer that expires an approval of a stream. It is scheduled before the append that opens the approval: if that
 * fails, the timer finds nothing to do.
 */
export function approvalTimer(approvalId: ApprovalId, stream: string, expiresAt: Instant): ApprovalTimer {
  const payload = { approvalId, stream };
  return { id: approvalTimerId(approvalId), kind: approvalTimers, dueAt: expiresAt, payload };
}
