import { isJsonList, limits, type JsonValue } from '@app/kernel';
import type { TokenUsage } from './provider';

/** Far beyond any model's window; a larger number is not taken for a count. */
const tokensMax = 10_000_000;

/** Returns text that every store of ours can hold: PostgreSQL takes no NUL, UTF-8 no half of a surrogate pair. */
export function storableText(text: string): string {
  return Buffer.from(text.replaceAll('\u0000', '\ufffd'), 'utf8').toString('utf8');
}

/** Returns the input of a call as it can be stored: as its JSON text if it is nested more deeply than our limit for JSON. */
export function storableInput(input: JsonValue): JsonValue {
  return depthOf(input, 0) > limits.jsonDepthMax ? storableText(textOfDeep(input)) : toStorable(input);
}

/** Returns the longest beginning of the text, in whole characters, whose JSON without quotes takes at most that many bytes. */
export function textWithin(text: string, bytesMax: number): string {
  let low = 0;
  let high = Math.min(text.length, Math.max(0, bytesMax));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (jsonBytes(text.slice(0, middle)) <= bytesMax) low = middle;
    else high = middle - 1;
  }
  const isHalf = /[\uD800-\uDBFF]$/.test(text.slice(0, low));
  return text.slice(0, isHalf ? low - 1 : low);
}

/** Counts as a provider reported them; `input` includes `cached` and `written`. */
export interface Counted {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly total: number | undefined;
  readonly cached: number | undefined;
  readonly written: number | undefined;
  readonly reasoning: number | undefined;
}

/**
 * Returns the usage, or null when a provider reports no usable numbers; zero tokens of input are not usable. More cached tokens than input
 * are ignored, and lower no price. When the sums of a gateway disagree, the larger input counts, because some leave out what the provider's
 * cache held. Some leave reasoning out of the output, which their sum shows.
 */
export function usageOf({ input: told, output, total, cached, written, reasoning = 0 }: Counted): TokenUsage | null {
  if (!isCount(told) || !isCount(output)) return null;
  const beyond = isCount(total) ? total - told - output : 0;
  const isThought = reasoning > 0 && beyond === reasoning;
  const outputTokens = isThought ? output + reasoning : output;
  const inputTokens = isThought ? told : told + Math.max(0, beyond);
  if (inputTokens === 0) return null;
  const cachedInputTokens = isCount(cached) && cached <= inputTokens ? cached : 0;
  const cacheWriteTokens = isCount(written) && written <= inputTokens - cachedInputTokens ? written : 0;
  return { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens };
}

function isCount(tokens: number | undefined): tokens is number {
  return Number.isSafeInteger(tokens) && tokens !== undefined && tokens >= 0 && tokens <= tokensMax;
}

function toStorable(value: JsonValue): JsonValue {
  if (typeof value === 'string') return storableText(value);
  if (value === null || typeof value !== 'object') return value;
  if (isJsonList(value)) return value.map(toStorable);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [storableText(name), toStorable(member)]));
}

/** Descends no further than the bound, so that no depth can exhaust the stack. */
function depthOf(value: JsonValue, above: number): number {
  if (value === null || typeof value !== 'object' || above > limits.jsonDepthMax) return above;
  const members = isJsonList(value) ? value : Object.values(value);
  return members.reduce<number>((deepest, member) => Math.max(deepest, depthOf(member, above + 1)), above + 1);
}

function textOfDeep(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch {
    // Nested too deeply even for JSON.stringify; no tool accepts such an input.
    return 'nested too deeply';
  }
}

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}
