import type { JsonObject, JsonValue } from '@app/kernel';
import type { Effort, ToolOutcome } from '@app/conversations';
import type { ModelTrouble } from './model-troubles';

/** A call that the model made, with what came of it. */
export interface ToolExchange {
  /** `runId/step/index`: models repeat their own call ids. */
  readonly toolCallId: string;
  readonly tool: string;
  readonly input: JsonValue;
  readonly outcome: ToolOutcome;
  readonly result: JsonValue;
}

/** A step that the model took: what it said, and its calls, every one of which has returned. */
export interface TurnStep {
  readonly text: string | null;
  readonly exchanges: readonly ToolExchange[];
}

/** What a user said, and the steps that the model took for it so far, oldest first. */
export interface Turn {
  readonly input: string;
  readonly steps: readonly TurnStep[];
}

/** A tool as it is described to a model. */
export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: JsonObject;
}

/** A file of the conversation; its content is read by a tool. */
export interface OfferedArtifact {
  readonly artifactId: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
}

/** The part of a segment's reservation that a step may still cost, in micro-cents. */
export interface Allowance {
  /**
   * Returns what is left. Where that is less than `wanted`, more is reserved first, checked; where the caps refuse that, enough for
   * `least`. Null where `least` is refused too. Throws Unavailable.
   */
  cover(needs: { readonly least: number; readonly wanted: number }): Promise<number | null>;
}

/** What a model is asked for one step. */
export interface ModelRequest {
  readonly instructions: string | null;
  /** Earlier turns of the conversation, oldest first, as many as its bound allows. */
  readonly history: readonly Turn[];
  /** The turn that is to go on. */
  readonly turn: Turn;
  /** Those that the run's profile allows. */
  readonly tools: readonly ToolOffer[];
  /** The conversation's files, newest last. */
  readonly artifacts: readonly OfferedArtifact[];
  /** JSON Schema that the final answer must satisfy, or null. */
  readonly outputSchema: JsonValue;
  /** Null: the model's own. A model whose provider takes none goes without. */
  readonly temperature: number | null;
  readonly effort: Effort | null;
  /** Whether what it thinks is wanted. */
  readonly reasoning: boolean;
  /** Whether a provider that is not asked now is waited for; true where absent. False: another model is at hand. */
  readonly waitsForProvider?: boolean;
  /** Whether the turn's last step was an answer that did not satisfy it: this is the one attempt to repair it. */
  readonly repairing: boolean;
}

/** A request that is to be answered and paid for. */
export interface StepRequest extends ModelRequest {
  /** A model sends nothing that could cost more. */
  readonly allowance: Allowance;
}

/** How an answer ended: whole, cut by the model's output limit, stopped by the caller's signal, or broken off. */
export type AnswerEnding = 'whole' | 'cut' | 'stopped' | ModelFailed;

/** What one step came to: calls, or the final text; of a step that was stopped or broke off, what had come until then. */
export interface ModelReply {
  /** The name of the model that answered. */
  readonly model: string;
  /** What it thought, where that is wanted and shown; `truncated` where that was more. */
  readonly reasoning: { readonly text: string; readonly truncated: boolean } | null;
  readonly text: string | null;
  /** `input` is what the model wrote, a text if that was not JSON; tools check it themselves. */
  readonly calls: readonly { readonly tool: string; readonly input: JsonValue }[];
  readonly inputTokens: number;
  /** How many of them a cache held. */
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly costMicroCents: number;
  /** Whether the numbers are an estimate: the provider told none. */
  readonly estimated: boolean;
  readonly ending: AnswerEnding;
}

/** Shows a piece of what a model says, or of what it thinks before. */
export type ShowPiece = (text: string, of: 'text' | 'reasoning') => void;

/** A language model, one step at a time. */
export interface LanguageModel {
  readonly name: string;
  /** Whether earlier turns mean anything to it; they are read for it only then. */
  readonly readsHistory: boolean;
  /**
   * Answers one step; `onPiece` is called with each piece of text as it comes, and of reasoning where that is wanted. What was begun is answered, however it ended.
   * Rejects where nothing was begun: with an AbortError when the signal aborts, with ModelFailed when the model cannot answer.
   */
  step(request: StepRequest, onPiece: ShowPiece, signal: AbortSignal): Promise<ModelReply>;
}

/** The model could not answer. The message is for the log; users read the words of the trouble. */
export class ModelFailed extends Error {
  constructor(
    readonly trouble: ModelTrouble,
    message: string,
  ) {
    super(message);
  }
}
