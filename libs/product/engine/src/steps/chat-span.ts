import type { ExecutableSegment } from '@app/runs';
import type { Span, SpanAttributes } from '@app/runtime';
import { inputMessages, outputMessages } from '../run/span-content';
import { genAi, jsonOutput, operations, registered } from '../models/conventions/names.adapter';
import { ModelFailed, type LanguageModel, type ModelReply, type StepRequest } from '../models/model';
import { ownerAttributes, type NamedStart } from '../run/traced-run';

/** The span of a model's step, as it begins. */
export function chatSpan(
  { name, served }: LanguageModel,
  run: ExecutableSegment,
  { outputSchema }: StepRequest,
): NamedStart {
  const { provider, model, server } = served;
  const attributes: SpanAttributes = {
    [genAi.operation]: operations.chat,
    [genAi.provider]: provider,
    [genAi.requestModel]: model,
    ...(outputSchema === null ? {} : { [genAi.outputType]: jsonOutput }),
    ...(server === null
      ? {}
      : {
          [genAi.requestStream]: true,
          [registered.serverAddress]: server.address,
          [registered.serverPort]: server.port,
        }),
    ...ownerAttributes(run),
    'parley.model': name,
  };
  // A model without a server answers in this process.
  const kind = server === null ? 'internal' : 'client';
  return { name: `${operations.chat} ${model}`, start: { kind, attributes } };
}

/** Adds what a model is asked, where the span takes contents. */
export function noteRequest(span: Span | null, request: StepRequest): void {
  if (span?.takesContent === true) span.set({ [genAi.inputMessages]: inputMessages(request) });
}

/** Adds the answer to its span, which fails if the answer broke off. */
export function noteReply(span: Span | null, reply: ModelReply): void {
  if (span === null) return;
  const { servedModel, inputTokens, cachedInputTokens, outputTokens, estimated, costMicroCents, calls } = reply;
  const finishReason = finishReasonOf(reply);
  span.set({
    ...(servedModel === null ? {} : { [genAi.responseModel]: servedModel }),
    ...(finishReason === null ? {} : { [genAi.finishReasons]: [finishReason] }),
    [genAi.inputTokens]: inputTokens,
    [genAi.cachedInputTokens]: cachedInputTokens,
    [genAi.outputTokens]: outputTokens,
    'parley.usage_estimated': estimated,
    'parley.cost_micro_cents': costMicroCents,
    'parley.tool_calls': calls.length,
  });
  if (span.takesContent) span.set({ [genAi.outputMessages]: outputMessages(reply, finishReason) });
  if (reply.ending instanceof ModelFailed) span.fail(reply.ending.trouble);
}

/** Marks the span of a step that had no answer. */
export function noteFailure(span: Span | null, error: unknown, isAborted: boolean): void {
  if (isAborted) span?.fail('aborted');
  else if (error instanceof ModelFailed) span?.fail(error.trouble);
}

/** Why the answer ended, in the words of the conventions' schema; null if its caller stopped it. */
function finishReasonOf({ ending, calls }: ModelReply): string | null {
  if (ending === 'stopped') return null;
  if (ending === 'cut') return 'length';
  if (ending === 'whole') return calls.length > 0 ? 'tool_call' : 'stop';
  if (ending.trouble === 'cut_off') return 'length';
  return ending.trouble === 'withheld' ? 'content_filter' : 'error';
}
