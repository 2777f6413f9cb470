import type { Provider } from './loopback-models';

/** The server, its format, the status, the body, and the GitHub issue in which the refusal was observed. */
export type SeenRefusal = readonly [
  server: string,
  provider: Provider,
  status: number,
  body: object,
  seen: `${string}/${string}#${number}`,
];

/**
 * The refused part of a request: the answer's format, the tools' schemas, marks for the cache, the limit's old name,
 * temperature, effort.
 */
export type RefusedPart = 'format' | 'tool_schemas' | 'cache_marks' | 'max_tokens' | 'temperature' | 'effort';

const invalid = 'invalid_request_error';

/**
 * Refusals of a part of a request by real servers, as their users have reported them.
 *
 * Source: the issue next to each body.
 */
export const partRefusalBodies: readonly (readonly [RefusedPart, SeenRefusal])[] = [
  [
    'format',
    [
      'OpenAI' as const,
      'openai-compatible' as const,
      400,
      {
        error: {
          message: "Invalid parameter: 'response_format' of type 'json_object' is not supported with this model.",
          type: invalid,
          param: 'response_format',
          code: null,
        },
      },
      'mrwadams/stride-gpt#19',
    ],
  ],
  [
    'format',
    [
      'DeepSeek' as const,
      'openai-compatible' as const,
      400,
      { error: { message: 'This response_format type is unavailable now', type: invalid, param: null, code: invalid } },
      'llm-exe/llm-exe#662',
    ],
  ],
  [
    'format',
    [
      'DeepSeek of 2025' as const,
      'openai-compatible' as const,
      422,
      {
        error: {
          message:
            'Failed to deserialize the JSON body into the target type: response_format: response_format.type `json_schema` is unavailable now at line 1 column 1193',
          type: invalid,
          param: null,
          code: invalid,
        },
      },
      'BerriAI/litellm#7580',
    ],
  ],
  [
    'format',
    [
      'xAI' as const,
      'openai-compatible' as const,
      400,
      {
        code: 'Client specified an invalid argument',
        error: 'The response_format parameter is unsupported at the moment. Leave it unset.',
      },
      'BerriAI/litellm#6610',
    ],
  ],
  [
    'format',
    [
      'vLLM' as const,
      'openai-compatible' as const,
      400,
      {
        object: 'error',
        type: 'BadRequestError',
        param: null,
        code: 400,
        message: 'The provided JSON schema contains features not supported by xgrammar.',
      },
      'vllm-project/vllm#16321',
    ],
  ],
  [
    'tool_schemas',
    [
      'OpenAI' as const,
      'openai-compatible' as const,
      400,
      {
        error: {
          message:
            "Invalid schema for function 'bash': In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing 'timeout'.",
          type: invalid,
          param: 'tools[0].function.parameters',
          code: 'invalid_function_parameters',
        },
      },
      'anomalyco/opencode#441',
    ],
  ],
  [
    'tool_schemas',
    [
      'DeepSeek' as const,
      'openai-compatible' as const,
      400,
      {
        error: {
          message:
            "Invalid schema for function 'sendEmailTool': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"string\"'.",
          type: invalid,
          param: null,
          code: invalid,
        },
      },
      'alibaba/spring-ai-alibaba#4576',
    ],
  ],
  [
    'tool_schemas',
    [
      "llama.cpp's server" as const,
      'openai-compatible' as const,
      400,
      { error: { code: 400, message: 'Failed to initialize samplers: failed to parse grammar', type: invalid } },
      'ggml-org/llama.cpp#26596',
    ],
  ],
  [
    'tool_schemas',
    [
      "llama.cpp's server of 2025" as const,
      'openai-compatible' as const,
      500,
      {
        error: {
          code: 500,
          message: 'JSON schema conversion failed:\nUnrecognized schema: {"not":{}}',
          type: 'server_error',
        },
      },
      'ggml-org/llama.cpp#14227',
    ],
  ],
  [
    'tool_schemas',
    [
      'Gemini behind its OpenAI format' as const,
      'openai-compatible' as const,
      400,
      [
        {
          error: {
            code: 400,
            status: 'INVALID_ARGUMENT',
            message:
              'Invalid JSON payload received. Unknown name "additionalProperties" at \'tools[0].function_declarations[0].parameters\': Cannot find field.',
          },
        },
      ],
      'bigduu/Bodhi-AI#52',
    ],
  ],
  [
    'tool_schemas',
    [
      'Anthropic' as const,
      'anthropic' as const,
      400,
      {
        type: 'error',
        error: {
          type: invalid,
          message:
            'tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12).',
        },
      },
      'anthropics/claude-code#7365',
    ],
  ],
  [
    'cache_marks',
    [
      'OpenRouter before an old model of Anthropic' as const,
      'anthropic' as const,
      400,
      { type: 'error', error: { type: invalid, message: 'tools.3.cache_control: Extra inputs are not permitted' } },
      'earendil-works/pi#7938',
    ],
  ],
  [
    'max_tokens',
    [
      'OpenAI' as const,
      'openai-compatible' as const,
      400,
      {
        error: {
          message:
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          type: invalid,
          param: 'max_tokens',
          code: 'unsupported_parameter',
        },
      },
      'microsoft/clarity-agent#59',
    ],
  ],
];
