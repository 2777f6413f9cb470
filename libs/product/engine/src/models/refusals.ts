import { isJsonList, isJsonObject, parsedJson, type JsonValue } from '@app/kernel';
import type { OutputRoom, SparePart } from './provider';

/** The fields of a refusal; empty where it has none. */
interface Refusal {
  readonly code: string;
  readonly type: string;
  readonly param: string;
  /** The whole body, because gateways pack the words of the server behind them into texts of their own. */
  readonly text: string;
}

/** Codes in the fields, which are checked first: OpenAI and Azure, and llama.cpp's server. */
const contextCodes = ['context_length_exceeded', 'exceed_context_size_error'];
/**
 * Words, which are checked after the codes: vLLM, OpenRouter, DeepSeek, LM Studio, Ollama and most others ("context length", "context
 * size"), Anthropic ("prompt is too long", "context limit"), Gemini ("input token count"), Azure ("input tokens exceed"), LiteLLM
 * ("ContextWindowExceeded"), and vLLM if the prompt leaves no room for an answer ("max_tokens must be at least 1").
 * libs/testing/src/models/refusals.ts has them whole.
 */
const contextWords =
  /context[ _]?(length|size|window|limit)|maximum model length|prompt (is )?too long|input token count .{0,40}exceeds|input tokens exceed|max_tokens must be at least 1, got -/i;

/** Whether a request was refused because it does not fit into the model's context. */
export function saysContextFull(status: number, body: string): boolean {
  if (status < 400 || [401, 403, 404, 429].includes(status)) return false;
  const { code, type, text } = refusalIn(body);
  return contextCodes.includes(code) || contextCodes.includes(type) || contextWords.test(text);
}

/** llama.cpp's server converts schemas to grammars; versions before 2026 report a failure with status 500. */
const noGrammar = /failed to parse grammar|json schema conversion failed|unrecognized schema/i;

/** Matched by the words that name a part, because the schema alone does not show which part it belongs to. */
const partWords: readonly (readonly [SparePart | 'schemas', RegExp])[] = [
  ['cache_marks', /cache_control/],
  ['max_tokens', /max_completion_tokens/],
  ['effort', /reasoning[._]?effort|output_config\.effort|\beffort\b/i],
  ['temperature', /\btemperature\b/i],
  ['format', /response_format|output_config|output_format|json_schema/],
  ['tool_schemas', /tools[.[]\d|input_schema|function_declarations|(for|invalid) function|function schema/i],
  ['schemas', /schema|grammar/i],
];

/** Returns the part of a request that a provider refused; null if it names none that could be left out. */
export function refusedPart(status: number, body: string): SparePart | 'schemas' | null {
  if (status >= 500) return noGrammar.test(body) ? 'schemas' : null;
  if (![400, 404, 422].includes(status)) return null;
  const { code, param, text } = refusalIn(body);
  if (code === 'invalid_function_parameters' || param.startsWith('tools')) return 'tool_schemas';
  if (param.startsWith('response_format')) return 'format';
  if (param === 'temperature') return 'temperature';
  return partWords.find(([, words]) => words.test(text))?.[0] ?? null;
}

/** Reads the formats of OpenAI and Anthropic (`error`), of vLLM (without), of Gemini (in a list), and of LM Studio and xAI (a text). */
function refusalIn(body: string): Refusal {
  // Words of a proxy in between are no JSON; they are matched as they are.
  const parsed = parsedJson(body);
  const told = isJsonList(parsed) ? parsed[0] : parsed;
  const inner = isJsonObject(told) ? (told['error'] ?? told) : null;
  const { code, type, param } = isJsonObject(inner) ? inner : {};
  return { code: textOf(code), type: textOf(type), param: textOf(param), text: body };
}

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** The limit's names in all formats, and in prose. */
const limitWords =
  /max_?(completion_?|output_?|new_?)?tokens|maximum tokens|(output|completion) tokens|in the completion/i;
/** Patterns of the limit of prompt and answer together, and its size. */
const contextSizes = [
  /\d+ \+ \d+ > (\d+)/,
  /(?:context[ _]?(?:length|size|window|limit)|model maximum|must be <=)[^\d]{0,40}?(\d+)/i,
];
/** Patterns of the size of the prompt as the provider counted it, each in another provider's words. */
const promptSizes = [
  /(\d+) (?:tokens )?(?:in|of|from) (?:the |your )?(?:messages|text input|input|prompt)/i,
  /(\d+) (?:prompt |input |`inputs` )tokens/i,
  /prompt contains (?:at least )?(\d+)/i,
  /(\d+) \+ \d+ > \d+/,
];
/** Status codes in the report itself, which are no limits. */
const ofReport = /"?(code|status|status_code)"?\s*:\s*"?\d+"?/gi;
/** Too few for an answer; a smaller number in a refusal is no limit. */
const tokensMin = 16;

/**
 * Returns the largest output limit that a provider accepts, from the words in which it refused a larger one; null for any other refusal. If
 * it names the size of prompt and answer together, the limit is the part that the prompt leaves.
 */
export function outputRoomIn(status: number, body: string, sentLimit: number): OutputRoom | null {
  if (![400, 402, 413, 422, 500].includes(status) || !limitWords.test(body)) return null;
  const text = body.replace(ofReport, '').replace(/(\d)[,_](?=\d{3}\b)/g, '$1');
  const context = firstNumberIn(contextSizes, text);
  const prompt = firstNumberIn(promptSizes, text);
  if (context !== null && prompt !== null) {
    const tokens = context - prompt;
    return tokens < tokensMin || tokens >= sentLimit ? null : { tokens, contextTokens: context };
  }
  const named = numbersIn(text).filter((number) => number >= tokensMin && number < sentLimit);
  if (named.length > 0) return { tokens: Math.max(...named), contextTokens: null };
  // It names our limit, and no other.
  const isOurs = numbersIn(text).includes(sentLimit) && sentLimit >= 2 * tokensMin;
  return isOurs ? { tokens: Math.floor(sentLimit / 2), contextTokens: null } : null;
}

function firstNumberIn(words: readonly RegExp[], text: string): number | null {
  const found = words.map((one) => one.exec(text)?.[1]).find((digits) => digits !== undefined);
  return found === undefined ? null : Number(found);
}

/** Returns the numbers in a text, except those within a name, such as a model's. */
function numbersIn(text: string): readonly number[] {
  return [...text.matchAll(/(?<![\w.-])\d{1,12}(?![\w-]|\.\d)/g)].map(([digits]) => Number(digits));
}
