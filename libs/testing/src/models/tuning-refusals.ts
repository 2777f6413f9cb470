import type { RefusedPart, SeenRefusal } from './part-refusals';

const invalid = 'invalid_request_error';

/**
 * Refusals of a temperature or an effort by real servers, as their users have reported them.
 *
 * Source: the issue next to each body.
 */
export const tuningRefusalBodies: readonly (readonly [RefusedPart, SeenRefusal])[] = [
  [
    'temperature',
    [
      'OpenAI' as const,
      'openai-compatible' as const,
      400,
      {
        error: {
          message:
            "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
          type: invalid,
          param: 'temperature',
          code: 'unsupported_value',
        },
      },
      'holoviz/lumen#1087',
    ],
  ],
  [
    'temperature',
    [
      'Moonshot' as const,
      'openai-compatible' as const,
      400,
      { message: 'invalid temperature: only 1 is allowed for this model', type: invalid },
      'XCNXNXNX/dsh-portable-tavern#1',
    ],
  ],
  [
    'temperature',
    [
      'Anthropic' as const,
      'anthropic' as const,
      400,
      { type: 'error', error: { type: invalid, message: '`temperature` is deprecated for this model.' } },
      'Mixpeal/anthropic-sdk#11',
    ],
  ],
  [
    'effort',
    [
      'OpenAI' as const,
      'openai-compatible' as const,
      400,
      {
        error: {
          message: 'Unrecognized request argument supplied: reasoning_effort',
          type: invalid,
          param: null,
          code: null,
        },
      },
      'davidmigloz/langchain_dart#712',
    ],
  ],
  [
    'effort',
    [
      'Anthropic' as const,
      'anthropic' as const,
      400,
      { type: 'error', error: { type: invalid, message: 'This model does not support the effort parameter.' } },
      'anthropics/claude-code#30010',
    ],
  ],
];
