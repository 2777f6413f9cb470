import { outputRoomIn } from './refusals';

const room = (tokens: number, contextTokens: number | null = null) => ({ tokens, contextTokens });

describe('the output limit that a refusal leaves', () => {
  it.each<[string, number, string, ReturnType<typeof room> | null]>([
    [
      'OpenAI',
      20_480,
      'max_tokens is too large: 20480. This model supports at most 16384 completion tokens, whereas you provided 20480.',
      room(16_384),
    ],
    [
      'OpenAI, of the context',
      8_192,
      "This model's maximum context length is 8192 tokens. However, you requested 8256 tokens (64 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
      room(8_128, 8_192),
    ],
    [
      'Ark',
      32_000,
      'The parameter `max_completion_tokens` specified in the request are not valid: integer above maximum value, expected a value <= 12288, but got 32000 instead. Request id: 0217752964393142fa50',
      room(12_288),
    ],
    [
      'Anthropic',
      500_000,
      'max_tokens: 500000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-20250514',
      room(64_000),
    ],
    [
      'Anthropic, of the context',
      21_333,
      'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
      room(11_760, 200_000),
    ],
    ['DeepSeek', 32_768, 'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', room(8_192)],
    [
      'vLLM',
      32_768,
      "'max_tokens' or 'max_completion_tokens' is too large: 32768. This model's maximum context length is 8192 tokens and your request has 100 input tokens (32768 > 8192 - 100).",
      room(8_092, 8_192),
    ],
    [
      'SGLang',
      32_768,
      "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 32868 tokens: 100 tokens from the input messages and 32768 tokens for the completion tokens.",
      room(8_092, 8_192),
    ],
    [
      'TGI',
      32_768,
      '`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 100 `inputs` tokens and 32768 `max_new_tokens`',
      room(3_996, 4_096),
    ],
    [
      'Mistral',
      32_768,
      'Prompt contains 100 tokens and max_tokens is 32768, which together exceed the model maximum context length of 32,768',
      room(32_668, 32_768),
    ],
    [
      'OpenRouter, of what is paid for',
      32_768,
      'This request requires more credits, or fewer max_tokens. You requested up to 32768 tokens, but can only afford 1234.',
      room(1_234),
    ],
    ['one that names no other', 32_768, '{"code": 400, "message": "max_tokens of 32768 is too large"}', room(16_384)],
    [
      'OpenAI, of its name',
      32_768,
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      null,
    ],
    [
      'a prompt that is too long by itself',
      1_000,
      "This model's maximum context length is 8192 tokens. However, you requested 10000 tokens (9000 in the messages, 1000 in the completion).",
      null,
    ],
    ['Anthropic, of the prompt', 4_096, 'prompt is too long: 210000 tokens > 200000 maximum', null],
  ])('is found in the words of %s', (_server, sent, words, expected) => {
    const status = words.includes('credits') ? 402 : 400;
    expect(outputRoomIn(status, words, sent)).toEqual(expected);
  });

  it('is not looked for in an answer about credentials', () => {
    expect(outputRoomIn(401, 'max_tokens is too large: 20480, at most 16384', 20_480)).toBeNull();
  });
});
