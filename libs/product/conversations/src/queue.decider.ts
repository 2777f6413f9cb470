import { accept, because, limits, notFound, reject } from '@app/kernel';
import type { Decision, Instant, RunId, RunKey, UserId } from '@app/kernel';
import { isKnownRun, isQueued, isWritable, type ConversationState } from './conversation.state';
import type { QueueEvent } from './run/queue.events';
import type { RunEvent } from './run/run.events';
import type { ResolvedRun, RunRequest, Usage } from './run/run.schema';

/** A run that is to start by itself when no other run of the conversation is open. */
export interface QueueInput {
  readonly type: 'QueueInput';
  readonly at: Instant;
  readonly runId: RunId;
  readonly runKey: RunKey;
  readonly userId: UserId;
  readonly request: RunRequest;
  readonly resolved: ResolvedRun;
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
  if (isKnownRun(state, input.runId) || isQueued(state, input.runId)) return accept();
  if (!isWritable(state, input.userId)) return reject(notFound);
  if (state.queued.length >= limits.queuedInputsMax) return reject(because('rate_limited'));
  return accept({ type: 'input.queued', ...input });
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
