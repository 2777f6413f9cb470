import {
  abortedEnd,
  type ConversationEvent,
  type RunEnd,
  type RunFailureReason,
  type RunRequest,
  type ToolOutcome,
} from '@app/conversations';
import { unreachable, type JsonValue, type ToolCallId } from '@app/kernel';

/** A run as its own events tell it: everything that the engine needs to go on, whoever executed it before. */
export interface RunProgress {
  readonly request: RunRequest;
  readonly stopping: boolean;
  readonly steps: number;
  readonly segmentCostMicroCents: number;
  readonly calls: readonly JournaledCall[];
  /** Text of the last message. */
  readonly said: string | null;
}

export interface JournaledCall {
  readonly toolCallId: ToolCallId;
  readonly tool: string;
  readonly input: JsonValue;
  /** Null until it has returned. */
  readonly returned: { readonly outcome: ToolOutcome; readonly result: JsonValue } | null;
}

/** What the engine does next. */
export type NextAction =
  | { readonly kind: 'run_tools'; readonly calls: readonly JournaledCall[] }
  | { readonly kind: 'ask_model' }
  | { readonly kind: 'end'; readonly end: RunEnd };

/** Says what is next for a run: pure, so that it can be asked again after any crash. */
export function next(progress: RunProgress): NextAction {
  if (progress.stopping) return { kind: 'end', end: abortedEnd };
  const open = progress.calls.filter(({ returned }) => returned === null);
  if (open.length > 0) return { kind: 'run_tools', calls: open };
  if (progress.steps >= progress.request.profile.maxSteps) {
    return { kind: 'end', end: failedEnd('step_limit', 'The run used all the steps that its profile allows.') };
  }
  return { kind: 'ask_model' };
}

/** The end of a run that failed, in words that are the product's own. */
export function failedEnd(reason: RunFailureReason, text: string): RunEnd {
  return { status: 'failed', response: null, output: null, failure: { reason, text } };
}

/** A run of which nothing but its request is known yet. */
export function startedProgress(request: RunRequest): RunProgress {
  return { request, stopping: false, steps: 0, segmentCostMicroCents: 0, calls: [], said: null };
}

/** Folds an event of the run; events that say nothing about how to go on leave the progress as it is. */
export function progressAfter(progress: RunProgress, event: ConversationEvent): RunProgress {
  switch (event.type) {
    case 'run.stopping':
      return { ...progress, stopping: true };
    case 'agent.step':
      return {
        ...progress,
        steps: event.step,
        segmentCostMicroCents: progress.segmentCostMicroCents + event.costMicroCents,
      };
    case 'agent.message':
      return { ...progress, said: event.text };
    case 'tool.called': {
      const { toolCallId, tool, input } = event;
      return { ...progress, calls: [...progress.calls, { toolCallId, tool, input, returned: null }] };
    }
    case 'tool.returned': {
      const { toolCallId, outcome, result } = event;
      const calls = progress.calls.map((call) =>
        call.toolCallId === toolCallId ? { ...call, returned: { outcome, result } } : call,
      );
      return { ...progress, calls };
    }
    case 'run.started':
    case 'run.claimed':
    case 'run.ended':
    case 'conversation.created':
    case 'conversation.updated':
    case 'conversation.archived':
      return progress;
    default:
      return unreachable(event);
  }
}
