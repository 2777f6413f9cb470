import { evolveApproval, openedApproval, type ApprovalEvent, type ApprovalState } from '@app/consent';
import { openOr, unreachable } from '@app/kernel';
import type { ApprovalId, MessageId, Personal, ProcessId, RunId, RunKey, ToolCallId, UserId } from '@app/kernel';
import type { RunEvent } from './run.events';
import { erasedRequest, type ResolvedRun, type RunRequest, type RunRequestInput, type Usage } from './run.schema';

/** Something that the user said to a live run, with the ids of the run that it becomes if that one ends before. */
export interface SteeredInput {
  readonly messageId: MessageId;
  readonly input: Personal<RunRequestInput>;
  readonly runId: RunId;
  readonly runKey: RunKey;
}

/** A run that is not ended. The one that does not wait for approval is the conversation's live run. */
export interface RunState {
  readonly runId: RunId;
  readonly runKey: RunKey;
  readonly userId: UserId;
  readonly status: 'queued' | 'running' | 'stopping' | 'awaiting_approval';
  readonly request: RunRequest;
  readonly resolved: ResolvedRun;
  readonly agentInstructions: string | null;
  /** 1, then one more at each continuation. */
  readonly segment: number;
  /** How often the run got a holder, by its begin, a resumption or a claim; only the last holder may append. */
  readonly attempt: number;
  /** The number of recorded steps. */
  readonly steps: number;
  /** `seq` of its `run.started`. */
  readonly startedSeq: number;
  /** `seq` of the event that began the present segment: `run.started`, or the last `run.resumed`. */
  readonly segmentSeq: number;
  readonly usage: Usage;
  readonly segmentCostMicroCents: number;
  /** Calls that were journaled and have not returned. */
  readonly openCalls: readonly ToolCallId[];
  /** Messages of the user that have joined it and that no step of the model has read; oldest first. */
  readonly unheard: readonly SteeredInput[];
  /** The approvals that it waits for, including decided ones; empty while it does not wait. */
  readonly approvals: readonly ApprovalState[];
}

/** The state of a run that has just started, as the `seq`-th event of its conversation. */
export function beginRun(event: Extract<RunEvent, { type: 'run.started' }>, seq: number): RunState {
  return {
    runId: event.runId,
    runKey: event.runKey,
    userId: event.userId,
    ...heldBy(event.holder, 0),
    request: openOr(event.request, erasedRequest),
    resolved: event.resolved,
    agentInstructions: event.agentInstructions,
    segment: 1,
    steps: 0,
    startedSeq: seq,
    segmentSeq: seq,
    usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costCents: 0, estimated: false },
    segmentCostMicroCents: 0,
    openCalls: [],
    unheard: [],
    approvals: [],
  };
}

/** A segment that begins with a holder is claimed by that very event. */
function heldBy(holder: ProcessId | null, attempts: number): Pick<RunState, 'status' | 'attempt'> {
  return holder === null ? { status: 'queued', attempt: attempts } : { status: 'running', attempt: attempts + 1 };
}

/** An event that changes an open run; the conversation folds its end. */
export type OpenRunEvent = Exclude<RunEvent, { type: 'run.started' | 'run.ended' }> | ApprovalEvent;

/** Folds an event of an open run, the `seq`-th of its conversation. */
export function evolveRun(run: RunState, event: OpenRunEvent, seq = run.segmentSeq): RunState {
  if ('approvalId' in event) return { ...run, approvals: approvalsAfter(run, event) };
  switch (event.type) {
    case 'run.claimed':
      return { ...run, status: run.status === 'stopping' ? 'stopping' : 'running', attempt: event.attempt };
    case 'run.suspended': {
      // The run does not wait for approvals that a contract covered.
      const approvals = run.approvals.filter(({ approvalId }) => event.approvalIds.includes(approvalId));
      return { ...run, status: 'awaiting_approval', approvals };
    }
    case 'run.resumed': {
      const begun = { segment: event.segment, segmentSeq: seq, segmentCostMicroCents: 0, approvals: [] };
      return { ...run, ...heldBy(event.holder, run.attempt), ...begun };
    }
    case 'run.stopping':
      return { ...run, status: 'stopping' };
    case 'agent.step':
      return {
        ...run,
        steps: event.step,
        unheard: run.unheard.slice(event.heard),
        usage: addUsage(run.usage, event.usage),
        segmentCostMicroCents: run.segmentCostMicroCents + event.costMicroCents,
      };
    case 'run.steered': {
      const { messageId, input, ownRunId, ownRunKey } = event;
      return { ...run, unheard: [...run.unheard, { messageId, input, runId: ownRunId, runKey: ownRunKey }] };
    }
    case 'agent.reasoning':
    case 'agent.message':
      return run;
    case 'tool.called':
      return { ...run, openCalls: [...run.openCalls, event.toolCallId] };
    case 'tool.returned':
      return { ...run, openCalls: run.openCalls.filter((id) => id !== event.toolCallId) };
    default:
      return unreachable(event);
  }
}

function approvalsAfter({ approvals }: RunState, event: ApprovalEvent): readonly ApprovalState[] {
  if (event.type === 'approval.opened') return [...approvals, openedApproval(event)];
  return approvals.map((one) => (one.approvalId === event.approvalId ? evolveApproval(one, event) : one));
}

function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    costCents: a.costCents + b.costCents,
    estimated: a.estimated || b.estimated,
  };
}

/** Whether a decision on this approval would leave none pending. */
export function isLastPending(run: RunState, approvalId: ApprovalId): boolean {
  const pending = pendingOf(run);
  return pending.length === 1 && pending[0]?.approvalId === approvalId;
}

export function approvalOf(run: RunState | undefined, approvalId: ApprovalId): ApprovalState | undefined {
  return run?.approvals.find((approval) => approval.approvalId === approvalId);
}

export function pendingOf(run: RunState): readonly ApprovalState[] {
  return run.approvals.filter(({ status }) => status === 'pending');
}
