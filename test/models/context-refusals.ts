import type { Provider, ScriptedRefusal } from './loopback-models';

/** How real servers say that a request does not fit into the model's context, by server: status and body as they answer them. */
const bodies: readonly (readonly [server: string, provider: Provider, status: number, body: object])[] = [
  [
    'OpenAI',
    'openai-compatible',
    400,
    {
      error: {
        message:
          "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.",
        ...{ type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' },
      },
    },
  ],
  [
    'vLLM',
    'openai-compatible',
    400,
    {
      ...{ object: 'error', type: 'BadRequestError', param: null, code: 400 },
      message:
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion).",
    },
  ],
  [
    "llama.cpp's server",
    'openai-compatible',
    400,
    {
      error: {
        ...{ code: 400, type: 'exceed_context_size_error', n_prompt_tokens: 5000, n_ctx: 4096 },
        message:
          'the request exceeds the available context size. try increasing the context size or enable context shift',
      },
    },
  ],
  [
    'Gemini behind its OpenAI format',
    'openai-compatible',
    400,
    [
      {
        error: {
          ...{ code: 400, status: 'INVALID_ARGUMENT' },
          message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        },
      },
    ],
  ],
  [
    'Anthropic',
    'anthropic',
    400,
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    },
  ],
];

/** The refusals of the servers that speak a provider's format. */
export function contextRefusals(
  provider: Provider,
): readonly { readonly server: string; readonly refusal: ScriptedRefusal }[] {
  return bodies
    .filter(([, spoken]) => spoken === provider)
    .map(([server, , status, body]) => ({ server, refusal: { status, body } }));
}
