import { isJsonObject, type JsonValue } from '@app/kernel';
import type { SparePart } from './provider';

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
  const parsed = jsonIn(body);
  const told = isList(parsed) ? parsed[0] : parsed;
  const inner = isJsonObject(told) ? (told['error'] ?? told) : null;
  const { code, type, param } = isJsonObject(inner) ? inner : {};
  return { code: textOf(code), type: textOf(type), param: textOf(param), text: body };
}

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function jsonIn(text: string): JsonValue {
  try {
    // Reason for the assertion: JSON.parse returns nothing but JSON.
    return JSON.parse(text) as JsonValue;
  } catch {
    // Words of a proxy in between; they are matched as they are.
    return null;
  }
}
