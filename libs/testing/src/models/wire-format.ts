import type { JsonObject, JsonValue } from '@app/kernel';
import type { PromptPiece } from './prompt-cache';

/** A call as a scripted model makes it; `raw` is sent to the letter, whether it is JSON or not. */
export type ScriptedCall =
  { readonly tool: string; readonly input: JsonValue } | { readonly tool: string; readonly raw: string };

export interface ScriptedUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** How many of the input tokens came out of the provider's cache; none where it is left out. */
  readonly cachedInputTokens?: number;
  /** How many were put there; only Anthropic tells. */
  readonly cacheWriteTokens?: number;
  /** Where the provider's sum is another one. */
  readonly totalTokens?: number;
}

/** A message of either wire format, in words that both have. */
export interface AskedMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly tool: string; readonly input: unknown }[];
  /** What tools returned, as the provider reads it. */
  readonly results: readonly { readonly id: string; readonly content: string }[];
}

/** What a provider was asked. */
export interface Asked {
  readonly model: string;
  readonly system: string;
  readonly tools: readonly { readonly name: string; readonly description: string; readonly schema: unknown }[];
  readonly messages: readonly AskedMessage[];
  readonly body: JsonObject;
}

/** How a provider speaks: what it is asked, and the frames of its stream. */
export interface WireFormat {
  readonly path: string;
  read(body: JsonObject): Asked;
  opening(hasText: boolean, usage: ScriptedUsage | null): readonly string[];
  reasoning(pieces: readonly string[]): readonly string[];
  piece(text: string): string;
  calls(calls: readonly ScriptedCall[], hasText: boolean): readonly string[];
  /** `cut`: the output limit ended it. */
  ending(calls: boolean, usage: ScriptedUsage | null, hasText: boolean, cut: boolean): readonly string[];
  /** An error of the provider's, told in a stream that began well. */
  trouble(message: string): string;
  refusal(status: number, message: string): JsonObject;
  /** What a strict server refuses a conversation for, in its words, or null. */
  faultIn(asked: Asked): { readonly status: number; readonly message: string } | null;
  /** The prompt in the order in which its cache reads it. */
  pieces(body: JsonObject): readonly PromptPiece[];
}

export function textOfCall(call: ScriptedCall): string {
  return 'raw' in call ? call.raw : JSON.stringify(call.input);
}

// Reason for the assertions here: requests that the product itself makes, in a test; a wrong shape fails the test that reads it.
export const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? (value as JsonObject[]) : [];
export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
