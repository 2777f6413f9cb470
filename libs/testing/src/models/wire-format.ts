import type { JsonObject, JsonValue } from '@app/kernel';
import type { PromptPiece } from './prompt-cache';

/** A call as a scripted model makes it; `raw` is sent unchanged, whether it is JSON or not. */
export type ScriptedCall =
  { readonly tool: string; readonly input: JsonValue } | { readonly tool: string; readonly raw: string };

export interface ScriptedUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Number of input tokens that were read from the provider's cache; 0 by default. */
  readonly cachedInputTokens?: number;
  /** Number of tokens that were put there; only Anthropic reports it. */
  readonly cacheWriteTokens?: number;
  /** Set if the provider's sum differs. */
  readonly totalTokens?: number;
}

/** A message of either wire format, with members that both have. */
export interface AskedMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly tool: string; readonly input: unknown }[];
  /** Results of tools, as the provider reads them. */
  readonly results: readonly { readonly id: string; readonly content: string }[];
}

/** A request to a provider. */
export interface Asked {
  readonly model: string;
  readonly system: string;
  readonly tools: readonly { readonly name: string; readonly description: string; readonly schema: unknown }[];
  readonly messages: readonly AskedMessage[];
  readonly body: JsonObject;
}

/** A provider's wire format: how to read requests, and the frames of its stream. */
export interface WireFormat {
  readonly path: string;
  read(body: JsonObject): Asked;
  opening(hasText: boolean, usage: ScriptedUsage | null): readonly string[];
  reasoning(pieces: readonly string[]): readonly string[];
  piece(text: string): string;
  calls(calls: readonly ScriptedCall[], hasText: boolean): readonly string[];
  /** `cut`: the output limit ended it. */
  ending(calls: boolean, usage: ScriptedUsage | null, hasText: boolean, cut: boolean): readonly string[];
  /** An error of the provider, sent in a stream that began normally. */
  trouble(message: string): string;
  refusal(status: number, message: string): JsonObject;
  /** Returns the refusal with which a strict server answers this conversation, in its words, or null. */
  faultIn(asked: Asked): { readonly status: number; readonly message: string } | null;
  /** The prompt in the order in which its cache reads it. */
  pieces(body: JsonObject): readonly PromptPiece[];
}

export function textOfCall(call: ScriptedCall): string {
  return 'raw' in call ? call.raw : JSON.stringify(call.input);
}

// Reason for the assertions here: in tests the product itself makes the requests; a wrong shape fails the test that
// reads it.
export const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? (value as JsonObject[]) : [];
export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
