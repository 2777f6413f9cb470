import {
  accept,
  because,
  centsFromMicroCents,
  reject,
  unreachable,
  type Decision,
  type Instant,
  type JsonValue,
  type MessageId,
  type RunId,
  type RunKey,
  type ToolCallId,
  type UserId,
} from '@app/kernel';
import type {
  RunEndStatus,
  RunEvent,
  RunFailure,
  RunOrigin,
  RunRequest,
  ToolOutcome,
  Usage,
} from './conversation.events';

/** A run that is not ended. The one that is queued, running or stopping is the conversation's live run. */
export interface RunState {
  readonly runId: RunId;
  readonly runKey: RunKey;
  readonly userId: UserId;
  readonly status: 'queued' | 'running' | 'stopping';
  readonly request: RunRequest;
  /** 1, then one more at each continuation. */
  readonly segment: number;
  /** How often a worker has claimed the run; only the holder of the last claim may append. */
  readonly attempt: number;
  /** Steps that are recorded. */
  readonly steps: number;
  /** `seq` of its `run.started`. */
  readonly startedSeq: number;
  readonly usage: Usage;
  readonly segmentCostMicroCents: number;
  /** Calls that were journaled and have not returned. */
  readonly openCalls: readonly ToolCallId[];
}

/** What the run is, beside the conversation that holds it. */
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
}

export type RunCommand =
  | { readonly type: 'ClaimRun'; readonly at: Instant; readonly runId: RunId; readonly segment: number }
  | { readonly type: 'StopRun'; readonly at: Instant; readonly runId: RunId }
  | RecordStep
  | (ByHolder & {
      readonly type: 'ReturnTool';
      readonly toolCallId: ToolCallId;
      readonly outcome: ToolOutcome;
      readonly result: JsonValue;
    })
  | (ByHolder & { readonly type: 'EndRun'; readonly end: RunEnd });

/** Everything that one model step came to, in one append; `end` where the step was the last. */
export interface RecordStep extends ByHolder {
  readonly type: 'RecordStep';
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicroCents: number;
  readonly message: { readonly messageId: MessageId; readonly text: string } | null;
  readonly calls: readonly { readonly toolCallId: ToolCallId; readonly tool: string; readonly input: JsonValue }[];
  readonly end: RunEnd | null;
}

export interface RunEnd {
  readonly status: RunEndStatus;
  readonly response: { readonly text: string } | null;
  readonly output: JsonValue;
  readonly failure: RunFailure | null;
}

interface ByHolder {
  readonly at: Instant;
  readonly runId: RunId;
  /** The claim under which the caller works; a later claim fences it. */
  readonly attempt: number;
}

export const abortedEnd: RunEnd = { status: 'aborted', response: null, output: null, failure: null };

/** Decides a command on an open run; undefined is a run that has ended or never was. */
export function decideRun(command: RunCommand, run: RunState | undefined): Decision<RunEvent> {
  if (run === undefined) return reject(because('run_not_active'));
  switch (command.type) {
    case 'ClaimRun':
      if (command.segment !== run.segment) return reject(because('run_not_active'));
      return accept({ ...head('run.claimed', run, command), segment: run.segment, attempt: run.attempt + 1 });
    case 'StopRun':
      return stop(command, run);
    case 'RecordStep':
    case 'ReturnTool':
    case 'EndRun':
      // A fenced predecessor learns here, however late it wakes up, that the run is no longer its own.
      if (command.attempt !== run.attempt) return reject(because('run_not_active'));
      return byHolder(command, run);
    default:
      return unreachable(command);
  }
}

function stop(command: { readonly at: Instant }, run: RunState): Decision<RunEvent> {
  switch (run.status) {
    case 'queued':
      return accept(ended(run, command.at, abortedEnd, run));
    case 'running':
      return accept(head('run.stopping', run, command));
    case 'stopping':
      return accept();
    default:
      return unreachable(run.status);
  }
}

function byHolder(command: Extract<RunCommand, { attempt: number }>, run: RunState): Decision<RunEvent> {
  switch (command.type) {
    case 'RecordStep':
      // After `run.stopping` the run can only end as aborted.
      return run.status === 'stopping' ? reject(because('stop_pending')) : step(command, run);
    case 'ReturnTool':
      if (!run.openCalls.includes(command.toolCallId)) return accept();
      return accept({
        ...head('tool.returned', run, command),
        toolCallId: command.toolCallId,
        outcome: command.outcome,
        result: command.result,
      });
    case 'EndRun': {
      const end = run.status === 'stopping' ? abortedEnd : command.end;
      const unreturned = run.openCalls.map((toolCallId) => ({
        ...head('tool.returned', run, command),
        toolCallId,
        outcome: 'error' as const,
        result: { error: 'the run ended before the tool returned' },
      }));
      return accept(...unreturned, ended(run, command.at, end, run));
    }
    default:
      return unreachable(command);
  }
}

function step(command: RecordStep, run: RunState): Decision<RunEvent> {
  const before = centsFromMicroCents(run.segmentCostMicroCents);
  const after = centsFromMicroCents(run.segmentCostMicroCents + command.costMicroCents);
  const stepped = {
    ...head('agent.step', run, command),
    step: run.steps + 1,
    usage: { inputTokens: command.inputTokens, outputTokens: command.outputTokens, costCents: after - before },
    costMicroCents: command.costMicroCents,
  };
  const said = command.message === null ? [] : [{ ...head('agent.message', run, command), ...command.message }];
  const called = command.calls.map((call) => ({ ...head('tool.called', run, command), ...call }));
  const over = command.end === null ? [] : [ended(run, command.at, command.end, evolveRun(run, stepped))];
  return accept<RunEvent>(stepped, ...said, ...called, ...over);
}

function ended(run: RunState, at: Instant, end: RunEnd, last: RunState): RunEvent {
  return {
    ...head('run.ended', run, { at }),
    ...end,
    userId: run.userId,
    usage: last.usage,
    segment: run.segment,
    segmentCostCents: centsFromMicroCents(last.segmentCostMicroCents),
  };
}

function head<Type extends RunEvent['type']>(
  type: Type,
  { runId, runKey }: RunState,
  { at }: { readonly at: Instant },
) {
  return { type, at, runId, runKey };
}

/** The state of a run that has just started, as the `seq`-th event of its conversation. */
export function startedRun(event: Extract<RunEvent, { type: 'run.started' }>, seq: number): RunState {
  return {
    runId: event.runId,
    runKey: event.runKey,
    userId: event.userId,
    status: 'queued',
    request: event.request,
    segment: 1,
    attempt: 0,
    steps: 0,
    startedSeq: seq,
    usage: { inputTokens: 0, outputTokens: 0, costCents: 0 },
    segmentCostMicroCents: 0,
    openCalls: [],
  };
}

/** Folds an event of an open run; its end is the conversation's to fold. */
export function evolveRun(run: RunState, event: Exclude<RunEvent, { type: 'run.started' | 'run.ended' }>): RunState {
  switch (event.type) {
    case 'run.claimed':
      return { ...run, status: run.status === 'stopping' ? 'stopping' : 'running', attempt: event.attempt };
    case 'run.stopping':
      return { ...run, status: 'stopping' };
    case 'agent.step':
      return {
        ...run,
        steps: event.step,
        usage: {
          inputTokens: run.usage.inputTokens + event.usage.inputTokens,
          outputTokens: run.usage.outputTokens + event.usage.outputTokens,
          costCents: run.usage.costCents + event.usage.costCents,
        },
        segmentCostMicroCents: run.segmentCostMicroCents + event.costMicroCents,
      };
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
