import type { JsonObject } from '@app/kernel';

/** Declarations are read, and paid for, at every step: what comes often is said once. */
const token: JsonObject = {
  description: 'One token with its true decimals, or any that the wallet holds.',
  anyOf: [
    {
      type: 'object',
      properties: {
        pinned: {
          type: 'object',
          properties: { tokenId: { type: 'string' }, decimals: { type: 'integer', minimum: 0, maximum: 38 } },
          required: ['tokenId', 'decimals'],
          additionalProperties: false,
        },
      },
      required: ['pinned'],
      additionalProperties: false,
    },
    { type: 'object', properties: { any: { const: true } }, required: ['any'], additionalProperties: false },
  ],
};

const quantity: JsonObject = {
  type: 'object',
  properties: {
    kind: {
      enum: ['exact_input_tokens', 'exact_output_tokens', 'exact_input_value_usd', 'fraction_of_input', 'all_of_input'],
    },
    amountRaw: { type: 'string', pattern: '^[1-9][0-9]{0,38}$', description: 'Of the exact tokens' },
    value: { type: 'string', description: 'US dollars, such as 20 or 1.5' },
    bps: { type: 'string', description: 'Of a fraction: basis points, 1 to 10000' },
  },
  required: ['kind'],
  additionalProperties: false,
};

const anyToken: JsonObject = { $ref: '#/$defs/token' };
const anyQuantity: JsonObject = { $ref: '#/$defs/quantity' };
const actions: JsonObject = {
  type: 'array',
  minItems: 1,
  maxItems: 16,
  items: {
    type: 'object',
    properties: {
      kind: { enum: ['swap', 'withdraw_to_owner'] },
      input: anyToken,
      output: { ...anyToken, description: 'Of a swap only, as exact_output_tokens is' },
      quantity: anyQuantity,
    },
    required: ['kind', 'input', 'quantity'],
    additionalProperties: false,
  },
};

/** A contract as models are told of it (specification, "Contract"); `parseContract` is what decides. */
const contract: JsonObject = {
  type: 'object',
  properties: { type: { const: 'ledger_intents_transfer' }, actions },
  required: ['type', 'actions'],
  additionalProperties: false,
};

/** The input of `intents_transfer`. */
export const transferSchema: JsonObject = {
  type: 'object',
  properties: { contract },
  required: ['contract'],
  additionalProperties: false,
  $defs: { token, quantity },
};
