import type { JsonObject } from '@app/kernel';

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

const amountRaw: JsonObject = { type: 'string', pattern: '^[1-9][0-9]{0,38}$' };
const quantityOf = (kind: string, members: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { kind: { const: kind }, ...members },
  required: ['kind', ...Object.keys(members)],
  additionalProperties: false,
});

const withdrawable = [
  quantityOf('exact_input_tokens', { amountRaw }),
  quantityOf('exact_input_value_usd', { value: { type: 'string', description: 'US dollars, such as 20 or 1.5' } }),
  quantityOf('all_of_input'),
  quantityOf('fraction_of_input', { bps: { type: 'string', description: 'Basis points, 1 to 10000' } }),
];

const actions: JsonObject = {
  type: 'array',
  minItems: 1,
  maxItems: 16,
  items: {
    anyOf: [
      {
        type: 'object',
        properties: {
          kind: { const: 'swap' },
          input: token,
          output: token,
          quantity: { anyOf: [...withdrawable, quantityOf('exact_output_tokens', { amountRaw })] },
        },
        required: ['kind', 'input', 'output', 'quantity'],
        additionalProperties: false,
      },
      {
        type: 'object',
        properties: { kind: { const: 'withdraw_to_owner' }, input: token, quantity: { anyOf: withdrawable } },
        required: ['kind', 'input', 'quantity'],
        additionalProperties: false,
      },
    ],
  },
};

/** A contract as models are told of it (specification, "Contract"), with whatever else it has; `parseContract` is what decides. */
export function contractSchema(more: JsonObject = {}): JsonObject {
  return {
    type: 'object',
    properties: { type: { const: 'ledger_intents_transfer' }, actions, ...more },
    required: ['type', 'actions', ...Object.keys(more)],
    additionalProperties: false,
  };
}

/** The input of `intents_transfer`. */
export const transferSchema: JsonObject = {
  type: 'object',
  properties: { contract: contractSchema() },
  required: ['contract'],
  additionalProperties: false,
};
