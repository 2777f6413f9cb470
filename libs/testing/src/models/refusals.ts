import type { Provider, ScriptedRefusal } from './loopback-models';
import { partRefusalBodies, type RefusedPart, type SeenRefusal } from './part-refusals';
import { tuningRefusalBodies } from './tuning-refusals';

/** Returns an error in the format of chat completions. */
const told = (message: string, fields: object = {}): object => ({ error: { message, ...fields } });
const flat = (message: string): object => ({
  object: 'error',
  message,
  type: 'BadRequestError',
  param: null,
  code: 400,
});
const anthropic = (message: string): object => ({ type: 'error', error: { type: 'invalid_request_error', message } });

/**
 * Answers of real servers to a request that does not fit into the model's context, as their users have reported them.
 * Ollama reports nothing: it silently drops the excess (ollama/ollama#7661), and so does LM Studio with some engines
 * (lmstudio-ai/lmstudio-bug-tracker#2339).
 *
 * Source: the issue next to each body.
 */
const contextBodies: readonly SeenRefusal[] = [
  [
    'OpenAI',
    'openai-compatible',
    400,
    told(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 8227 tokens. Please reduce the length of the messages.",
      { type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' },
    ),
    'crewAIInc/crewAI-examples#121',
  ],
  [
    'Azure',
    'openai-compatible',
    400,
    told(
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 509178 tokens. Please reduce the length of the messages.',
    ),
    'BerriAI/litellm#15968',
  ],
  [
    'vLLM',
    'openai-compatible',
    400,
    flat(
      "This model's maximum context length is 131072 tokens. However, you requested 156632 tokens (152536 in the messages, 4096 in the completion). Please reduce the length of the messages or completion.",
    ),
    'meta-llama/llama-verifications#58',
  ],
  [
    'vLLM with no room for an answer',
    'openai-compatible',
    400,
    flat('max_tokens must be at least 1, got -186.'),
    'vllm-project/vllm#4667',
  ],
  [
    "llama.cpp's server",
    'openai-compatible',
    400,
    told('the request exceeds the available context size, try increasing it', {
      code: 400,
      type: 'exceed_context_size_error',
      n_prompt_tokens: 14429,
      n_ctx: 8192,
    }),
    'oobabooga/textgen#7257',
  ],
  [
    "llama.cpp's server of 2025",
    'openai-compatible',
    500,
    told('the request exceeds the available context size. try increasing the context size or enable context shift', {
      code: 500,
      type: 'exceed_context_size_error',
      n_prompt_tokens: 1407,
      n_ctx: 256,
    }),
    'ggml-org/llama.cpp#15780',
  ],
  [
    'LM Studio',
    'openai-compatible',
    400,
    {
      error:
        'Trying to keep the first 14538 tokens when context the overflows. However, the model is loaded with context length of only 2048 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input',
    },
    'lmstudio-ai/lmstudio-bug-tracker#237',
  ],
  [
    'OpenRouter',
    'openai-compatible',
    400,
    told(
      'This endpoint\'s maximum context length is 16384 tokens. However, you requested about 94307 tokens (94307 of text input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
      { code: 400, metadata: { provider_name: null } },
    ),
    'topoteretes/cognee#1061',
  ],
  [
    'LiteLLM before Anthropic',
    'openai-compatible',
    400,
    told(
      `litellm.BadRequestError: AnthropicException - b'{"type":"error","error":{"type":"invalid_request_error","message":"input length and \`max_tokens\` exceed context limit: 179413 + 32768 > 200000, decrease input length or \`max_tokens\` and try again"}}'. Received Model Group=anthropic/claude-sonnet-4-20250514\nAvailable Model Group Fallbacks=None`,
      { type: null, param: null, code: '400' },
    ),
    'BrokkAi/brokk-app#540',
  ],
  [
    'Gemini behind its OpenAI format',
    'openai-compatible',
    400,
    [
      told('The input token count exceeds the maximum number of tokens allowed (1048576).', {
        code: 400,
        status: 'INVALID_ARGUMENT',
      }),
    ],
    'BerriAI/litellm#18282',
  ],
  [
    'Anthropic',
    'anthropic',
    400,
    anthropic('prompt is too long: 208310 tokens > 200000 maximum'),
    'anthropics/claude-code#12186',
  ],
  [
    'Anthropic with no room for an answer',
    'anthropic',
    400,
    anthropic(
      'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again',
    ),
    'docker/docker-agent#569',
  ],
];

/** Returns the refusals of the servers that speak a provider's format. */
export function contextRefusals(
  provider: Provider,
): readonly { readonly server: string; readonly refusal: ScriptedRefusal }[] {
  return contextBodies.flatMap(([server, spoken, status, body]) =>
    spoken === provider ? [{ server, refusal: { status, body } }] : [],
  );
}

/** Returns the refusals, by a provider's servers, of parts of a request that can be left out. */
export function partRefusals(
  provider: Provider,
): readonly { readonly part: RefusedPart; readonly server: string; readonly refusal: ScriptedRefusal }[] {
  return [...partRefusalBodies, ...tuningRefusalBodies].flatMap(([part, [server, spoken, status, body]]) =>
    spoken === provider ? [{ part, server, refusal: { status, body } }] : [],
  );
}
