import type { JsonObject, JsonValue } from '@app/kernel';
import type { ToolOutcome } from '@app/conversations';

/** A call that the model made in an earlier step of the run, with what came of it. */
export interface ToolExchange {
  readonly tool: string;
  readonly input: JsonValue;
  readonly outcome: ToolOutcome;
  readonly result: JsonValue;
}

/** What a model is asked for one step. */
export interface ModelRequest {
  readonly input: string;
  readonly instructions: string | null;
  /** Names of the tools that the run's profile allows. */
  readonly tools: readonly string[];
  /** The run's exchanges so far, oldest first. */
  readonly exchanges: readonly ToolExchange[];
  /** JSON Schema that the final answer must satisfy, or null. */
  readonly outputSchema: JsonValue;
}

/** What one step came to: calls, or the final text. */
export interface ModelReply {
  readonly text: string | null;
  readonly calls: readonly { readonly tool: string; readonly input: JsonObject }[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicroCents: number;
}

/** A language model, one step at a time. */
export interface LanguageModel {
  readonly name: string;
  /**
   * Answers one step; `onText` is called with each piece of text as it comes.
   * Rejects with an AbortError when the signal aborts, with ModelFailed when the model cannot answer.
   */
  step(request: ModelRequest, onText: (text: string) => void, signal: AbortSignal): Promise<ModelReply>;
}

/** The model could not answer; what it said about it stays in the log. */
export class ModelFailed extends Error {}
