import { type Instant, type JsonValue, type MessageId, type RunId, type RunKey, type ToolCallId } from '@app/kernel';
import { centsFromMicroCents } from './run-costs';
import type { RunEndStatus, RunEvent, ToolOutcome } from './run.events';
import type { RunFailure, RunResponse } from './run.schema';
import type { RunState } from './run.state';

/** The result of a call. */
export interface ToolReturn {
  readonly toolCallId: ToolCallId;
  readonly outcome: ToolOutcome;
  readonly result: JsonValue;
}

/** Text that a reader was shown, under the id of its deltas. */
export interface RecordedText {
  readonly messageId: MessageId;
  readonly text: string;
  readonly truncated: boolean;
}

export interface RunEnd {
  readonly status: RunEndStatus;
  readonly response: RunResponse | null;
  readonly output: JsonValue;
  readonly failure: RunFailure | null;
}

export const abortedEnd: RunEnd = { status: 'aborted', response: null, output: null, failure: null };

export function toolReturned({ toolCallId, outcome, result }: ToolReturn, run: RunState, at: Instant): RunEvent {
  return { ...headOf('tool.returned', run, at), toolCallId, outcome, result };
}

/** The end of a run in any state. */
export function endRun(run: RunState, at: Instant, end: RunEnd): RunEvent {
  return {
    ...headOf('run.ended', run, at),
    ...end,
    userId: run.userId,
    usage: run.usage,
    segment: run.segment,
    segmentCostCents: centsFromMicroCents(run.segmentCostMicroCents),
  };
}

/** The members that every event of a run has. */
export function headOf<Type extends RunEvent['type']>(
  type: Type,
  { runId, runKey }: RunState,
  at: Instant,
): { readonly type: Type; readonly at: Instant; readonly runId: RunId; readonly runKey: RunKey } {
  return { type, at, runId, runKey };
}
