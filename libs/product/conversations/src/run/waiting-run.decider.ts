import { decideApproval, endApproval, expireApproval } from '@app/consent';
import type { ApprovalEvent, DecideApproval, ExpireApproval } from '@app/consent';
import { accept, because, openOr, reject } from '@app/kernel';
import type { ApprovalId, Decision, Instant, ProcessId } from '@app/kernel';
import type { RunEvent } from './run.events';
import { abortedEnd, endRun, headOf, type RunEnd } from './run-facts';
import { approvalOf, evolveRun, isLastPending, pendingOf, type RunState } from './run.state';

/** A decision on an approval that a run waits for. */
export interface DecideRunApproval extends DecideApproval {
  readonly type: 'DecideApproval';
  /**
   * The execution slot that the next segment of the run already has, and the process that executes it from here on; null without a slot.
   */
  readonly slot: { readonly holder: ProcessId | null } | null;
}

export interface ExpireRunApproval extends ExpireApproval {
  readonly type: 'ExpireApproval';
}

type WaitingEvent = ApprovalEvent | RunEvent;

const expiredEnd: RunEnd = {
  status: 'failed',
  response: null,
  output: null,
  failure: { reason: 'approval_expired', text: 'An approval expired before it was decided.' },
};

/**
 * Decides one approval; the decision that leaves none pending resumes the run in the same append, which occupies the conversation and a
 * slot, and returns the calls that were denied. If it cannot, nothing is recorded (docs/decisions/approvals.md).
 */
export function decideRunApproval(
  command: DecideRunApproval,
  run: RunState | undefined,
  live: RunState | undefined,
): Decision<WaitingEvent> {
  const decision = decideApproval(command, approvalOf(run, command.approvalId));
  if (!decision.accepted || run === undefined) return decision;
  if (decision.events.some(({ type }) => type === 'approval.expired')) return accept(...timedOut(command, run));
  if (!isLastPending(run, command.approvalId)) return decision;
  if (live !== undefined) return reject(because(live.status === 'stopping' ? 'stop_pending' : 'run_active'));
  if (command.slot === null) return reject(because('execution_capacity'));
  const approvalIds = run.approvals.map(({ approvalId }) => approvalId);
  const resumed = {
    ...headOf('run.resumed', run, command.at),
    segment: run.segment + 1,
    approvalIds,
    holder: command.slot.holder,
  };
  return accept<WaitingEvent>(...decision.events, resumed, ...returnedAsDenied(run, decision.events, command.at));
}

/** Denied calls return at once, because that needs no executor. */
function returnedAsDenied(run: RunState, decided: readonly ApprovalEvent[], at: Instant): RunEvent[] {
  const { approvals } = decided.reduce((before, event) => evolveRun(before, event), run);
  return approvals.flatMap(({ status, toolCallId, denialReason }) =>
    status !== 'denied' || toolCallId === null || !run.openCalls.includes(toolCallId)
      ? []
      : [
          {
            ...headOf('tool.returned', run, at),
            toolCallId,
            outcome: 'denied',
            result: { reason: openOr(denialReason, null) },
          },
        ],
  );
}

/** One approval has expired: the run ends at once, the others expire with it, and nothing approved earlier is executed. */
export function expireRunApproval(command: ExpireRunApproval, run: RunState | undefined): Decision<WaitingEvent> {
  const decision = expireApproval(command, approvalOf(run, command.approvalId));
  if (!decision.accepted || decision.events.length === 0 || run === undefined) return decision;
  return accept(...timedOut(command, run));
}

/** An abort ends a waiting run, unless another run is live: then this is not the conversation's live run. */
export function stopWaitingRun(at: Instant, run: RunState, live: RunState | undefined): Decision<WaitingEvent> {
  if (live !== undefined) return reject(because('run_not_active'));
  const ended = pendingOf(run).map((approval) => endApproval(at, approval, 'run_ended'));
  return accept<WaitingEvent>(...ended, ...returnedAsExpired(run, at), endRun(run, at, abortedEnd));
}

function timedOut(
  { at, approvalId }: { readonly at: Instant; readonly approvalId: ApprovalId },
  run: RunState,
): WaitingEvent[] {
  // The one that timed out is first, because it is the reason for all the others.
  const pending = [...pendingOf(run)].sort(
    (one, other) => Number(other.approvalId === approvalId) - Number(one.approvalId === approvalId),
  );
  const expired = pending.map((approval) =>
    endApproval(at, approval, approval.approvalId === approvalId ? 'timeout' : 'run_ended'),
  );
  return [...expired, ...returnedAsExpired(run, at), endRun(run, at, expiredEnd)];
}

function returnedAsExpired(run: RunState, at: Instant): RunEvent[] {
  return run.openCalls.map((toolCallId) => ({
    ...headOf('tool.returned', run, at),
    toolCallId,
    outcome: 'expired',
    result: { error: 'the approval ended before the call was made' },
  }));
}
