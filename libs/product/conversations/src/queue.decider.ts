import { accept, because, limits, notFound, openOr, reject } from '@app/kernel';
import type { Decision, Instant, MessageId, RunId, RunKey, UserId } from '@app/kernel';
import { isKnownRun, isQueued, isWritable, liveRunOf, type ConversationState } from './conversation.state';
import type { QueueEvent } from './run/queue.events';
import type { RunEvent } from './run/run.events';
import { headOf } from './run/run-facts';
import { erasedRequest, type ResolvedRun, type RunRequest, type RunRequestInput, type Usage } from './run/run.schema';

/** A run that is to start by itself when no other run of the conversation is open. */
export interface QueueInput {
  readonly type: 'QueueInput';
  readonly at: Instant;
  readonly runId: RunId;
  readonly runKey: RunKey;
  readonly userId: UserId;
  readonly messageId: MessageId;
  readonly request: RunRequest;
  readonly resolved: ResolvedRun;
}

/** The user says something more to the live run. @property runId of the run that it becomes if that one ends before the model reads it */
export interface SteerRun {
  readonly type: 'SteerRun';
  readonly at: Instant;
  readonly runId: RunId;
  readonly runKey: RunKey;
  readonly userId: UserId;
  readonly messageId: MessageId;
  readonly input: RunRequestInput;
}

/** The next run of the queue can not be admitted. @property why a sentence for people */
export interface RefuseQueued {
  readonly type: 'RefuseQueued';
  readonly at: Instant;
  readonly runId: RunId;
  readonly why: string;
}

const noUsage: Usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costCents: 0, estimated: false };

/** Appends to the queue, also when nothing is open: the run then starts at once. Refused with `rate_limited` when the queue is full. */
export function queueInput({ type: _, ...input }: QueueInput, state: ConversationState): Decision<QueueEvent> {
  if (isTaken(state, input.runId)) return accept();
  if (!isWritable(state, input.userId)) return reject(notFound);
  if (isFull(state)) return reject(because('rate_limited'));
  return accept({ type: 'input.queued', ...input });
}

/** Joins the live run. Refused with `run_not_active` where none is live or the live one is stopping, and with `rate_limited` as a queue is. */
export function steerRun(command: SteerRun, state: ConversationState): Decision<RunEvent> {
  const { at, userId, messageId, input } = command;
  const live = liveRunOf(state);
  if (live?.unheard.some((one) => one.messageId === messageId) === true) return accept();
  if (isTaken(state, command.runId)) return reject(because('run_not_active'));
  if (!isWritable(state, userId)) return reject(notFound);
  if (live === undefined || live.status === 'stopping') return reject(because('run_not_active'));
  if (isFull(state)) return reject(because('rate_limited'));
  const own = { ownRunId: command.runId, ownRunKey: command.runKey };
  return accept({ ...headOf('run.steered', live, at), messageId, input, ...own });
}

/** Each message that no step has read by the end of its run becomes a run of its own, in the append of that end. */
export function queuedUnheard(
  event: Extract<RunEvent, { readonly type: 'run.ended' }>,
  { openRuns }: ConversationState,
): readonly QueueEvent[] {
  const run = openRuns[event.runId];
  if (run === undefined) return [];
  const { userId, resolved, request } = run;
  return run.unheard.map(({ messageId, input, runId, runKey }) => ({
    type: 'input.queued',
    at: event.at,
    runId,
    runKey,
    userId,
    messageId,
    request: { ...request, input: openOr(input, erasedRequest.input) },
    resolved,
  }));
}

/** Whether the id is that of a run, of one that waits, or of something that was said to a run. */
function isTaken(state: ConversationState, runId: RunId): boolean {
  const isUnheard = Object.values(state.openRuns).some(({ unheard }) => unheard.some((one) => one.runId === runId));
  return isUnheard || isKnownRun(state, runId) || isQueued(state, runId);
}

/** The queue and the unread messages of the live run share one bound. */
function isFull({ queued, openRuns }: ConversationState): boolean {
  const unheard = Object.values(openRuns).reduce((sum, run) => sum + run.unheard.length, 0);
  return queued.length + unheard >= limits.queuedInputsMax;
}

/** Ends the next run of the queue as failed, unless it has started or was withdrawn meanwhile. */
export function refuseQueued({ at, runId, why }: RefuseQueued, state: ConversationState): Decision<RunEvent> {
  const [next] = state.queued;
  if (next?.runId !== runId) return accept();
  const { runKey, userId } = next;
  const owner = { runId, runKey, userId };
  const result = {
    status: 'failed',
    response: null,
    output: null,
    failure: { reason: 'not_admitted', text: why },
  } as const;
  return accept({ type: 'run.ended', at, ...owner, ...result, usage: noUsage, segment: 1, segmentCostCents: 0 });
}

export function withdrawQueued(
  { at, runId }: { readonly at: Instant; readonly runId: RunId },
  { queued }: ConversationState,
): Decision<QueueEvent> {
  const found = queued.find((one) => one.runId === runId);
  return found === undefined ? accept() : accept({ type: 'input.withdrawn', at, runId, runKey: found.runKey });
}
