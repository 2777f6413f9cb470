import { isJsonObject, type JsonValue } from '@app/kernel';
import type { SparePart } from './provider';

/** What an answer that is a refusal says of itself; empty where it says nothing. */
interface Refusal {
  readonly code: string;
  readonly type: string;
  readonly param: string;
  /** All of it: gateways pack what the server behind them said into texts of their own. */
  readonly text: string;
}

/** Fields first: OpenAI and Azure, and llama.cpp's server. */
const contextCodes = ['context_length_exceeded', 'exceed_context_size_error'];
/**
 * Then words: vLLM, OpenRouter, DeepSeek, LM Studio, Ollama and most others ("context length", "context size"), Anthropic ("prompt is
 * too long", "context limit"), Gemini ("input token count"), Azure ("input tokens exceed"), LiteLLM ("ContextWindowExceeded"), and
 * vLLM where the prompt leaves no room for an answer ("max_tokens must be at least 1"). libs/testing/src/models/refusals.ts has them whole.
 */
const contextWords =
  /context[ _]?(length|size|window|limit)|maximum model length|prompt (is )?too long|input token count .{0,40}exceeds|input tokens exceed|max_tokens must be at least 1, got -/i;

/** Whether a request was refused because it does not fit into the model's context. */
export function saysContextFull(status: number, body: string): boolean {
  if (status < 400 || [401, 403, 404, 429].includes(status)) return false;
  const { code, type, text } = refusalIn(body);
  return contextCodes.includes(code) || contextCodes.includes(type) || contextWords.test(text);
}

/** llama.cpp's server makes grammars of the schemas; versions before 2026 say so with status 500. */
const noGrammar = /failed to parse grammar|json schema conversion failed|unrecognized schema/i;

/** Matched by the words that name a part: the schema alone does not tell which it is. */
const partWords: readonly (readonly [SparePart | 'schemas', RegExp])[] = [
  ['cache_marks', /cache_control/],
  ['max_tokens', /max_completion_tokens/],
  ['effort', /reasoning[._]?effort|output_config\.effort|\beffort\b/i],
  ['temperature', /\btemperature\b/i],
  ['format', /response_format|output_config|output_format|json_schema/],
  ['tool_schemas', /tools[.[]\d|input_schema|function_declarations|(for|invalid) function|function schema/i],
  ['schemas', /schema|grammar/i],
];

/** What of a request a provider refused; null where it names nothing that could be left out. */
export function refusedPart(status: number, body: string): SparePart | 'schemas' | null {
  if (status >= 500) return noGrammar.test(body) ? 'schemas' : null;
  if (![400, 404, 422].includes(status)) return null;
  const { code, param, text } = refusalIn(body);
  if (code === 'invalid_function_parameters' || param.startsWith('tools')) return 'tool_schemas';
  if (param.startsWith('response_format')) return 'format';
  if (param === 'temperature') return 'temperature';
  return partWords.find(([, words]) => words.test(text))?.[0] ?? null;
}

/** In the formats of OpenAI and Anthropic (`error`), of vLLM (without), of Gemini (in a list), and of LM Studio and xAI (a text). */
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
    // Reason for the assertion: JSON.parse makes nothing but JSON.
    return JSON.parse(text) as JsonValue;
  } catch {
    // Words of a proxy in between; they are read as they are.
    return null;
  }
}
