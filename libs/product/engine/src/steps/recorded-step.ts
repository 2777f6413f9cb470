import { abortedEnd, type RunEnd } from '@app/conversations';
import { asId, type JsonValue, type MessageId, type RunId, type ToolCallId } from '@app/kernel';
import { endOfAnswer, failedEnd, outOfBudgetEnd } from '@app/runs';
import type { HeldCommand } from '../run/claimed-run';
import { ModelFailed, type ModelReply } from '../models/model';
import { modelTroubles, type ModelTrouble } from '../models/model-troubles';
import type { RunProgress } from '../run/next';

/** Ids of a step's message and of its reasoning, whether there are any or not: readers received them with the first pieces. */
export interface StepIds {
  readonly runId: RunId;
  readonly messageId: MessageId;
  readonly reasoningId: MessageId;
}

type RecordStep = Extract<HeldCommand, { readonly type: 'RecordStep' }>;

/**
 * The command that records a model's answer: its message, its calls, and the run's end if it makes no call.
 * @param repairing whether this was the only attempt to repair an answer
 */
export function recordedStep(
  progress: RunProgress,
  { runId, messageId, reasoningId }: StepIds,
  reply: ModelReply,
  repairing: boolean,
): RecordStep {
  const { model, text, reasoning, ending, costMicroCents } = reply;
  const { inputTokens, cachedInputTokens, outputTokens, estimated } = reply;
  const step = progress.steps.length + 1;
  const { outputSchema, maxSteps } = progress.profile;
  // The calls of an answer that broke off may be incomplete.
  const isUsable = ending === 'whole' || ending === 'cut';
  const calls = isUsable ? reply.calls : [];
  const isSaid = text !== null && (isUsable || text.trim() !== '');
  return {
    type: 'RecordStep',
    model,
    inputTokens,
    cachedInputTokens,
    outputTokens,
    costMicroCents,
    estimated,
    reasoning: reasoning === null ? null : { messageId: reasoningId, ...reasoning },
    message: isSaid ? { messageId, text, truncated: ending !== 'whole' } : null,
    calls: calls.map((call, index) => ({ toolCallId: asId<ToolCallId>(`${runId}/${step}/${index}`), ...call })),
    heard: progress.unheard.length,
    returned: [],
    end: calls.length > 0 ? null : endOf(reply, outputSchema, !repairing && step < maxSteps),
  };
}

/** Null if the answer does not satisfy the schema and may still be repaired. */
function endOf({ text, ending }: ModelReply, outputSchema: JsonValue, mayRepair: boolean): RunEnd | null {
  if (ending === 'stopped') return abortedEnd;
  if (ending instanceof ModelFailed) return endOfTrouble(ending.trouble);
  return endOfAnswer({ text: text ?? '', truncated: ending === 'cut' }, outputSchema, mayRepair);
}

/** The end of a run whose model has failed. */
export function endOfTrouble(trouble: ModelTrouble): RunEnd {
  return trouble === 'out_of_budget' ? outOfBudgetEnd : failedEnd('provider_error', modelTroubles[trouble]);
}
