import type { JsonObject, JsonValue } from '@app/kernel';
import type { Effort, ToolOutcome } from '@app/conversations';
import type { ModelTrouble } from './model-troubles';
import type { ServedModel } from './conventions/served-model';

/** A call that the model made, with its outcome. */
export interface ToolExchange {
  /** `runId/step/index`: models repeat their own call ids. */
  readonly toolCallId: string;
  readonly tool: string;
  readonly input: JsonValue;
  readonly outcome: ToolOutcome;
  readonly result: JsonValue;
}

/** A step that the model took: its text, and its calls, every one of which has returned. */
export interface TurnStep {
  /** Messages of the user since the step before, oldest first; absent: none. */
  readonly heard?: readonly string[];
  readonly text: string | null;
  readonly exchanges: readonly ToolExchange[];
}

/** A user's input, and the steps that the model took for it so far, oldest first. */
export interface Turn {
  /** Operations of messages that it replaced, each as a line of JSON; absent or empty: none. */
  readonly facts?: readonly string[];
  readonly input: string;
  readonly steps: readonly TurnStep[];
  /** Messages of the user since the last step, oldest first; absent: none. */
  readonly unheard?: readonly string[];
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
   * Returns how much is left. If that is less than `wanted`, reserves more first, checked against the caps; if the caps refuse that, enough
   * for `least`. Null if `least` is refused too. Throws Unavailable.
   */
  cover(needs: { readonly least: number; readonly wanted: number }): Promise<number | null>;
}

/** The request for one step of a model. */
export interface ModelRequest {
  readonly instructions: string | null;
  /** Earlier turns of the conversation, oldest first, as many as its bound allows. */
  readonly history: readonly Turn[];
  /** The turn that is to continue. */
  readonly turn: Turn;
  /** The tools that the run's profile allows. */
  readonly tools: readonly ToolOffer[];
  /** The conversation's files, newest last. */
  readonly artifacts: readonly OfferedArtifact[];
  /** JSON Schema that the final answer must satisfy, or null. */
  readonly outputSchema: JsonValue;
  /** Null: the model's default. Not sent where the model's provider accepts none. */
  readonly temperature: number | null;
  readonly effort: Effort | null;
  /** Whether the model's reasoning is wanted. */
  readonly reasoning: boolean;
  /** Whether to wait for a provider that is not being asked now; true where absent. False: another model can answer. */
  readonly waitsForProvider?: boolean;
  /** Whether the turn's last step was an answer that violated `outputSchema`: this is the only attempt to repair it. */
  readonly repairing: boolean;
}

/** A request that is to be answered and paid for. */
export interface StepRequest extends ModelRequest {
  /** A model sends no request that could cost more. */
  readonly allowance: Allowance;
}

/** How an answer ended: whole, cut by the model's output limit, stopped by the caller's signal, or broken off. */
export type AnswerEnding = 'whole' | 'cut' | 'stopped' | ModelFailed;

/** The result of one step: calls, or the final text. A step that was stopped or broke off has what had arrived until then. */
export interface ModelReply {
  /** The name of the model that answered. */
  readonly model: string;
  /** The model that the provider says has answered; null if it names none. */
  readonly servedModel: string | null;
  /** The model's reasoning, where it is wanted and shown; `truncated` if there was more. */
  readonly reasoning: { readonly text: string; readonly truncated: boolean } | null;
  readonly text: string | null;
  /** `input` is what the model wrote, a text if that was not JSON; tools check it themselves. */
  readonly calls: readonly { readonly tool: string; readonly input: JsonValue }[];
  readonly inputTokens: number;
  /** The number of input tokens that a cache held. */
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly costMicroCents: number;
  /** Whether the numbers are an estimate, because the provider reported none. */
  readonly estimated: boolean;
  readonly ending: AnswerEnding;
}

/** Shows a piece of a model's answer, or of its reasoning before. */
export type ShowPiece = (text: string, of: 'text' | 'reasoning') => void;

/** A language model, one step at a time. */
export interface LanguageModel {
  readonly name: string;
  readonly served: ServedModel;
  /** Whether the model uses earlier turns; they are read only then. */
  readonly readsHistory: boolean;
  /**
   * Answers one step; `onPiece` is called with each piece of text as it arrives, and of reasoning where that is wanted. Resolves to
   * whatever was begun, however it ended. Rejects if nothing was begun: with an AbortError when the signal aborts, with ModelFailed when
   * the model cannot answer.
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
