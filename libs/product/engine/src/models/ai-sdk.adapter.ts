import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { JsonValue } from '@app/kernel';
import type { ModelConnection } from '@app/settings';
import { jsonSchema, Output, streamText, type LanguageModel, type TextStreamPart, type ToolSet } from 'ai';
import { holdsNumbers } from './kept-input';
import type { ModelRequest } from './model';
import { storableInput } from './answer-values';
import { ChatFrames } from './frames/chat-frames';
import { FrameNotes } from './frames/frame-notes';
import { MessageFrames } from './frames/message-frames';
import { ProviderTrouble, type AnswerPart, type Attempt, type ModelProvider, type SparePart } from './provider';
import { canFormat, questionOf } from './question.adapter';
import { ToolNames } from './tool-names';
import { isCutShort, troubleOf } from './troubles.adapter';
import { WatchedFetch, type Silence } from './watched-fetch';

export interface ProviderSettings extends ModelConnection {
  readonly silence: Silence;
  readonly outputTokensMax: number | undefined;
  readonly structuredOutput: boolean;
}

/** Parts of the SDK's stream that do not show yet whether the provider answers. */
const beforeAnswer: readonly string[] = ['start', 'start-step', 'error'];

// The SDK's warnings (a setting that a model does not know) would go to the console, past the log.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Providers through the AI SDK: one step at a time, its own retries and its running of tools switched off. */
export class AiSdkProvider implements ModelProvider {
  /** Values that no log may hold, not even within the provider's words. */
  private readonly secrets: readonly string[];

  constructor(private readonly settings: ProviderSettings) {
    const { apiKey, headers } = settings;
    this.secrets = [...(apiKey === undefined ? [] : [apiKey]), ...Object.values(headers)];
  }

  async *answer(model: string, request: ModelRequest, attempt: Attempt): AsyncGenerator<AnswerPart, void, undefined> {
    const isRenamed = attempt.without.has('max_tokens');
    const limitName = isRenamed ? 'max_completion_tokens' : 'max_tokens';
    const notes = new FrameNotes();
    const reader = this.settings.provider === 'anthropic' ? new MessageFrames(notes) : new ChatFrames(notes);
    const watch = new WatchedFetch(this.settings.silence, limitName, { reader, notes }, attempt);
    const signal = AbortSignal.any([attempt.signal, watch.signal]);
    let begun = false;
    try {
      for await (const part of this.readParts(model, request, { watch, notes }, { ...attempt, signal })) {
        begun ||= part.kind !== 'begun';
        yield part;
      }
    } catch (error) {
      const known = error instanceof ProviderTrouble ? error : troubleOf(error, this.secrets, watch.sentLimit);
      const trouble = watch.gaveUp ?? known;
      throw begun && trouble instanceof ProviderTrouble ? trouble.afterBeginning() : trouble;
    } finally {
      watch.stop();
    }
  }

  private async *readParts(
    model: string,
    request: ModelRequest,
    { watch, notes }: { readonly watch: WatchedFetch; readonly notes: FrameNotes },
    attempt: Attempt,
  ): AsyncGenerator<AnswerPart, void, undefined> {
    const names = new ToolNames();
    const formatted = this.isFormatted(request, attempt);
    const { fullStream } = this.ask(this.model(model, watch.fetch), request, names, attempt);
    let begun = false;
    let said = false;
    let firstText: string | null = null;
    const inputs = new Map<string, string>();
    for await (const part of fullStream) {
      if (part.type === 'abort') throw new ProviderTrouble('late', 'the attempt was stopped', false);
      if (part.type === 'error') throw this.troubleIn(part.error, { said, isStream: watch.isStream }, watch.sentLimit);
      if (beforeAnswer.includes(part.type)) continue;
      if (!begun) yield { kind: 'begun' };
      begun = true;
      said ||= part.type === 'text-delta' || part.type === 'tool-call';
      // Some models answer twice where a format is implemented as a forced tool: the first value counts.
      if (part.type === 'text-delta' && formatted && part.id !== (firstText ??= part.id)) continue;
      const answered = answerPart(part, names, inputs);
      if (answered !== null) yield answered;
      if (part.type === 'finish-step')
        yield endOf(part, notes, { said, isStream: watch.isStream, sentLimit: watch.sentLimit });
    }
  }

  private ask(model: LanguageModel, request: ModelRequest, names: ToolNames, attempt: Attempt) {
    const { outputTokensMax, provider } = this.settings;
    const { signal, without } = attempt;
    return streamText({
      model,
      ...questionOf(request, names, { marked: provider === 'anthropic' }, without),
      ...(outputTokensMax === undefined ? {} : { maxOutputTokens: outputTokensMax }),
      ...(this.isFormatted(request, attempt) ? formatOf(request.outputSchema) : {}),
      ...(request.temperature === null || without.has('temperature') ? {} : { temperature: request.temperature }),
      providerOptions: optionsOf(request.effort, without),
      maxRetries: 0,
      abortSignal: signal,
      // Errors are read from the stream.
      onError: () => undefined,
    });
  }

  private isFormatted(request: ModelRequest, { without }: Attempt): boolean {
    return this.settings.structuredOutput && canFormat(request) && !without.has('format');
  }

  private troubleIn(error: unknown, heard: Heard, sentLimit: number | null): ProviderTrouble {
    return isCutShort(error) ? troubleOfCut(heard) : troubleOf(error, this.secrets, sentLimit);
  }

  private model(name: string, fetch: typeof globalThis.fetch): LanguageModel {
    const { provider, baseUrl, apiKey, structuredOutput, headers: given } = this.settings;
    const headers = Object.fromEntries(Object.entries(given).map(([header, value]) => [header.toLowerCase(), value]));
    // A header of that name replaces the key.
    const key = apiKey === undefined || 'authorization' in headers ? {} : { apiKey };
    if (provider === 'anthropic') {
      return createAnthropic({
        apiKey: apiKey ?? '',
        headers,
        fetch,
        ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
      })(name);
    }
    return createOpenAICompatible({
      name: 'provider',
      baseURL: baseUrl ?? '',
      ...key,
      headers,
      fetch,
      includeUsage: true,
      supportsStructuredOutputs: structuredOutput,
    })(name);
  }

  sparePartsOf(request: ModelRequest): readonly SparePart[] {
    const { provider, structuredOutput } = this.settings;
    return [
      ...(structuredOutput && canFormat(request) ? (['format'] as const) : []),
      ...(request.tools.length > 0 ? (['tool_schemas'] as const) : []),
      ...(provider === 'anthropic' ? (['cache_marks'] as const) : []),
      ...(provider === 'openai-compatible' ? (['max_tokens'] as const) : []),
      ...(request.temperature === null ? [] : (['temperature'] as const)),
      ...(request.effort === null ? [] : (['effort'] as const)),
    ];
  }
}

/** Constrains the answer to the schema, which the system message contains as well. */
function formatOf(outputSchema: JsonValue) {
  // Reason for the assertion: JSON Schema of the supported subset, which admission has checked.
  const schema = outputSchema as Parameters<typeof jsonSchema>[0] & object;
  const responseFormat = Promise.resolve(jsonSchema(schema).jsonSchema).then((known) => ({
    type: 'json' as const,
    schema: known,
  }));
  return {
    // Text, because the SDK's object output would parse the whole answer so far again with every piece of it.
    output: { ...Output.text(), responseFormat },
  };
}

/** Anthropic's lowest effort is `low`. It is set without thinking, whose signed blocks would have to be sent back within a turn. */
const anthropicEfforts = { minimal: 'low', low: 'low', medium: 'medium', high: 'high' } as const;

/** Options for both providers; each reads its own. */
function optionsOf(effort: ModelRequest['effort'], without: Attempt['without']) {
  // Clients' schemas may exceed the subset that strict mode accepts.
  const always = { provider: { strictJsonSchema: false } };
  if (effort === null || without.has('effort')) return always;
  return {
    provider: { ...always.provider, reasoningEffort: effort },
    anthropic: { effort: anthropicEfforts[effort] },
  };
}

/**
 * Converts a part of the SDK's stream to a part of the answer; null if it is none.
 *
 * @param inputs the JSON of each call so far, by its id, which grows with its pieces: where a number would change as a double, it is the
 * input
 */
function answerPart(part: TextStreamPart<ToolSet>, names: ToolNames, inputs: Map<string, string>): AnswerPart | null {
  if (part.type === 'text-delta') return { kind: 'text', text: part.text };
  if (part.type === 'reasoning-delta') return { kind: 'reasoning', block: part.id, text: part.text };
  if (part.type === 'tool-input-delta') {
    inputs.set(part.id, (inputs.get(part.id) ?? '') + part.delta);
    return { kind: 'unseen', bytes: Buffer.byteLength(part.delta) };
  }
  if (part.type !== 'tool-call') return null;
  const json = inputs.get(part.toolCallId) ?? '';
  // Reason for the assertion: the SDK has parsed it from JSON, or it is the text that was not JSON.
  const input = holdsNumbers(json) ? (part.input as JsonValue) : json;
  return { kind: 'call', tool: names.inward(part.toolName), input: storableInput(input) };
}

interface FinishedStep {
  readonly finishReason: string;
  readonly rawFinishReason: string | undefined;
}

/** How much of the answer arrived before its end, and in which form. */
interface Heard {
  readonly said: boolean;
  readonly isStream: boolean;
}

function endOf(
  { finishReason, rawFinishReason }: FinishedStep,
  notes: FrameNotes,
  heard: Heard & { readonly sentLimit: number | null },
): AnswerPart {
  if (rawFinishReason === undefined) throw troubleOfCut(heard);
  const { told, uncounted } = notes.usage;
  const declined = notes.declined ? new ProviderTrouble('declined', 'the model refused', false) : null;
  return {
    kind: 'end',
    model: notes.model,
    usage: told,
    uncounted,
    skipped: notes.skipped,
    // Some servers report the end of calls where the limit cut the last of them, and some count the token that ends it as well.
    cut: finishReason === 'length' || (finishReason === 'tool-calls' && isAtLimit(told?.outputTokens, heard.sentLimit)),
    trouble: troubleOfEnd(finishReason, rawFinishReason) ?? declined,
  };
}

function isAtLimit(tokens: number | undefined, limit: number | null): boolean {
  return tokens !== undefined && limit !== null && tokens >= limit;
}

/** OpenRouter's ending in chat completions for an answer that broke off at its upstream. */
const brokenOff = 'error';

function troubleOfEnd(finishReason: string, rawFinishReason: string): ProviderTrouble | null {
  if (rawFinishReason === brokenOff) return new ProviderTrouble('broken_off', 'it ended with error', false);
  if (finishReason === 'content-filter') return new ProviderTrouble('withheld', 'it ended with content-filter', false);
  if (finishReason === 'error') return new ProviderTrouble('own_error', 'it ended with error', false);
  return null;
}

function troubleOfCut({ said, isStream }: Heard): ProviderTrouble {
  if (!isStream) return new ProviderTrouble('unreadable', 'the answer is no stream of events', false);
  return new ProviderTrouble(said ? 'broken_off' : 'empty', 'the answer ended before its end', true);
}
