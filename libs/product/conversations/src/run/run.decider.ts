import { accept, because, reject, unreachable } from '@app/kernel';
import type {
  Decision,
  Instant,
  JsonValue,
  MessageId,
  ProcessId,
  RunId,
  RunKey,
  ToolCallId,
  UserId,
  WithOpenWords,
} from '@app/kernel';
import type { ApprovalEvent } from '@app/consent';
import type { ReplacedMessage } from '../line';
import type { RunEvent, RunOrigin } from './run.events';
import type { ResolvedRun, RunRequest } from './run.schema';
import { centsFromMicroCents } from './run-costs';
import { abortedEnd, endRun, headOf, toolReturned, type RecordedText, type RunEnd, type ToolReturn } from './run-facts';
import { approvalOf, evolveRun, type RunState } from './run.state';

/** The facts of a new run, in addition to the conversation that contains it. */
export interface StartRun {
  readonly type: 'StartRun';
  readonly at: Instant;
  readonly runId: RunId;
  readonly runKey: RunKey;
  readonly userId: UserId;
  readonly messageId: MessageId;
  readonly origin: RunOrigin;
  readonly automationId: string | null;
  readonly occurrenceId: string | null;
  readonly request: RunRequest;
  readonly resolved: ResolvedRun;
  /** Instructions of the agent that it was resolved to; null without any. */
  readonly agentInstructions: string | null;
  /** The process that executes it from here on; null: the process that claims it. */
  readonly holder: ProcessId | null;
  /** Whether it starts only while no other run of the conversation is open, not even one that waits for the user. */
  readonly alone: boolean;
  /** The message of the user that it replaces, with everything after it; absent: none. */
  readonly replaces?: ReplacedMessage;
}

export type RunCommand =
  | { readonly type: 'ClaimRun'; readonly at: Instant; readonly runId: RunId; readonly segment: number }
  | { readonly type: 'StopRun'; readonly at: Instant; readonly runId: RunId }
  | RecordStep
  | (ByHolder & ToolReturn & { readonly type: 'ReturnTool' })
  | AuthorizeCalls
  | SuspendRun
  | (ByHolder & { readonly type: 'EndRun'; readonly end: RunEnd });

/** Open calls that an automation's contract covers: their approvals are opened and decided in one append, and the run continues. */
export interface AuthorizeCalls extends ByHolder {
  readonly type: 'AuthorizeCalls';
  readonly approvals: readonly OpenApproval[];
}

/** The open calls need the user's consent: the run waits for it. */
export interface SuspendRun extends ByHolder {
  readonly type: 'SuspendRun';
  readonly approvals: readonly OpenApproval[];
}

/** An approval to open, without the members that the run provides. */
export type OpenApproval = WithOpenWords<
  Omit<Extract<ApprovalEvent, { readonly type: 'approval.opened' }>, 'type' | 'at' | 'runId' | 'runKey' | 'userId'>
>;

/** All results of one model step, in one append; `end` if the step was the last. */
export interface RecordStep extends ByHolder {
  readonly type: 'RecordStep';
  /** The model that answered. */
  readonly model: string;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly costMicroCents: number;
  readonly estimated: boolean;
  /** The reasoning before it, as far as it was shown. */
  readonly reasoning: RecordedText | null;
  readonly message: RecordedText | null;
  readonly calls: readonly { readonly toolCallId: ToolCallId; readonly tool: string; readonly input: JsonValue }[];
  /** How many of the user's messages that had joined the run the model read for the first time. */
  readonly heard: number;
  /** Results of those calls that have already returned. */
  readonly returned: readonly ToolReturn[];
  readonly end: RunEnd | null;
}

interface ByHolder {
  readonly at: Instant;
  readonly runId: RunId;
  /** The claim under which the caller works; a later claim fences it. */
  readonly attempt: number;
}

/** Decides a command on an open run; undefined: a run that has ended or never existed. */
export function decideRun(command: RunCommand, run: RunState | undefined): Decision<RunEvent | ApprovalEvent> {
  if (run === undefined) return reject(because('run_not_active'));
  switch (command.type) {
    case 'ClaimRun':
      if (command.segment !== run.segment || run.status === 'awaiting_approval') {
        return reject(because('run_not_active'));
      }
      return accept({ ...headOf('run.claimed', run, command.at), segment: run.segment, attempt: run.attempt + 1 });
    case 'StopRun':
      return stop(command, run);
    case 'RecordStep':
    case 'ReturnTool':
    case 'AuthorizeCalls':
    case 'SuspendRun':
    case 'EndRun':
      // A fenced predecessor is rejected here, however late it continues: the run is no longer its own.
      if (command.attempt !== run.attempt || run.status === 'awaiting_approval') {
        return reject(because('run_not_active'));
      }
      return byHolder(command, run);
    default:
      return unreachable(command);
  }
}

function stop(command: { readonly at: Instant }, run: RunState): Decision<RunEvent> {
  switch (run.status) {
    case 'queued':
      return accept(...returnedAsCut(run, command.at), endRun(run, command.at, abortedEnd));
    case 'running':
      return accept(headOf('run.stopping', run, command.at));
    case 'stopping':
      return accept();
    case 'awaiting_approval':
      // Whether a waiting run may be stopped depends on the other runs, so the conversation decides it.
      return reject(because('run_not_active'));
    default:
      return unreachable(run.status);
  }
}

function byHolder(
  command: Extract<RunCommand, { attempt: number }>,
  run: RunState,
): Decision<RunEvent | ApprovalEvent> {
  switch (command.type) {
    case 'RecordStep':
      // After `run.stopping` the run can only end as aborted: text and usage stay, and no further call is made.
      return step(run.status === 'stopping' ? { ...command, calls: [], returned: [], end: abortedEnd } : command, run);
    case 'ReturnTool':
      if (!run.openCalls.includes(command.toolCallId)) return accept();
      return accept(toolReturned(command, run, command.at));
    case 'EndRun': {
      const end = run.status === 'stopping' ? abortedEnd : command.end;
      return accept(...returnedAsCut(run, command.at), endRun(run, command.at, end));
    }
    case 'AuthorizeCalls':
      return run.status === 'stopping' ? reject(because('stop_pending')) : authorize(command, run);
    case 'SuspendRun':
      return run.status === 'stopping' ? reject(because('stop_pending')) : suspend(command, run);
    default:
      return unreachable(command);
  }
}

function authorize({ at, approvals }: AuthorizeCalls, run: RunState): Decision<ApprovalEvent> {
  const { runKey } = run;
  const decided = { type: 'approval.decided', at, status: 'approved', decidedBy: 'automation_contract' } as const;
  // Calls that have returned meanwhile, or were authorized before a crash, need nothing.
  const asked = approvals.filter(
    ({ approvalId, toolCallId }) =>
      approvalOf(run, approvalId) === undefined && run.openCalls.some((open) => open === toolCallId),
  );
  return accept<ApprovalEvent>(
    ...asked.flatMap((approval) => [
      openedFor(run, at, approval),
      { ...decided, approvalId: approval.approvalId, denialReason: null, runKey } as const,
    ]),
  );
}

function openedFor({ runId, runKey, userId }: RunState, at: Instant, approval: OpenApproval) {
  return { type: 'approval.opened', at, runId, runKey, userId, ...approval } as const;
}

function suspend({ at, approvals }: SuspendRun, run: RunState): Decision<RunEvent | ApprovalEvent> {
  const { userId, segment, usage } = run;
  const opened = approvals.map((approval) => openedFor(run, at, approval));
  return accept<RunEvent | ApprovalEvent>(...opened, {
    ...headOf('run.suspended', run, at),
    segment,
    approvalIds: approvals.map(({ approvalId }) => approvalId),
    usage,
    userId,
    segmentCostCents: centsFromMicroCents(run.segmentCostMicroCents),
  });
}

function step(command: RecordStep, run: RunState): Decision<RunEvent> {
  const { model, inputTokens, cachedInputTokens, outputTokens, estimated } = command;
  const before = centsFromMicroCents(run.segmentCostMicroCents);
  const after = centsFromMicroCents(run.segmentCostMicroCents + command.costMicroCents);
  const stepped = {
    ...headOf('agent.step', run, command.at),
    step: run.steps + 1,
    model,
    usage: { inputTokens, cachedInputTokens, outputTokens, costCents: after - before, estimated },
    costMicroCents: command.costMicroCents,
    heard: command.heard,
  };
  const thought =
    command.reasoning === null ? [] : [{ ...headOf('agent.reasoning', run, command.at), ...command.reasoning }];
  const said = command.message === null ? [] : [{ ...headOf('agent.message', run, command.at), ...command.message }];
  const called = command.calls.map((call) => ({ ...headOf('tool.called', run, command.at), ...call }));
  const returned = command.returned.map((one) => toolReturned(one, run, command.at));
  const runAfter = evolveRun(run, stepped);
  const over = command.end === null || goesOn(runAfter, command.end) ? [] : [endRun(runAfter, command.at, command.end)];
  return accept<RunEvent>(stepped, ...thought, ...said, ...called, ...returned, ...over);
}

/** Whether a run takes one more step instead of its end, for what the user has said meanwhile. */
function goesOn({ unheard, steps, status, resolved }: RunState, { status: ending }: RunEnd): boolean {
  return unheard.length > 0 && ending === 'completed' && status !== 'stopping' && steps < resolved.maxSteps;
}

/** A run that ends leaves no call open, not even one that was approved and not made. */
function returnedAsCut(run: RunState, at: Instant): RunEvent[] {
  const cut = { outcome: 'error', result: { error: 'the run ended before the tool returned' } } as const;
  return run.openCalls.map((toolCallId) => toolReturned({ toolCallId, ...cut }, run, at));
}
