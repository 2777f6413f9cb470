import { limits, type JsonObject } from '@app/kernel';

const text = (maxLength: number, description?: string): JsonObject => ({
  type: 'string',
  minLength: 1,
  maxLength,
  ...(description === undefined ? {} : { description }),
});
const integer = (minimum: number, maximum: number, description?: string): JsonObject => ({
  type: 'integer',
  minimum,
  maximum,
  ...(description === undefined ? {} : { description }),
});
const instant: JsonObject = { type: 'string', description: 'UTC, such as 2027-01-31T09:00:00.000Z' };
const anyInstant: JsonObject = { $ref: '#/$defs/instant' };
const usd: JsonObject = { type: 'string', description: 'US dollars, such as 20 or 1.5' };

/** An object of exactly these members; those named in `optional` may be absent. */
function objectOf(properties: JsonObject, optional: readonly string[] = []): JsonObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}

const schedule: JsonObject = {
  anyOf: [
    objectOf({
      kind: { const: 'cron' },
      expression: text(256, 'Five fields: minute, hour, day of month, month, day of week'),
      timezone: text(64, 'IANA name, such as Europe/Berlin'),
    }),
    objectOf({ kind: { const: 'every' }, seconds: integer(60, 2_678_400) }),
    objectOf({ kind: { const: 'once' }, at: anyInstant }),
  ],
};

const eventType: JsonObject = { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_.:-]{0,79}$' };
const wake: JsonObject = {
  description: 'When the rule is looked at.',
  anyOf: [
    objectOf({ kind: { const: 'schedule' }, schedule }),
    objectOf({ kind: { const: 'event' }, types: { type: 'array', items: eventType, minItems: 1, maxItems: 16 } }),
  ],
};

const bindingName: JsonObject = { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_-]{0,31}$' };
const binding: JsonObject = objectOf({
  name: bindingName,
  source: {
    anyOf: [
      objectOf({
        kind: { enum: ['token_price', 'wallet_balance'] },
        tokenId: { type: 'string', pattern: '^[!-~]{1,512}$' },
      }),
      objectOf({ kind: { const: 'event' } }),
    ],
    description:
      'Fields that a pointer sees: /tokenId /priceUsd of token_price; /tokenId /amountRaw /amount /valueUsd of wallet_balance; ' +
      'of an event the whole of it, its data under /data.',
  },
  maxAgeSeconds: integer(1, 86_400, 'Older cannot be read; sampled every 60 seconds'),
});

const operand: JsonObject = {
  anyOf: [
    objectOf({
      binding: bindingName,
      field: {
        type: 'string',
        maxLength: 1024,
        pattern: '^(?:/(?:[^~/]|~[01])*)*$',
        description: 'JSON pointer, such as /priceUsd',
      },
    }),
    objectOf({ value: { description: 'Any JSON; decimals as texts compare as numbers' } }),
  ],
};
const anyOperand: JsonObject = { $ref: '#/$defs/operand' };
const node: JsonObject = { $ref: '#/$defs/node' };
const nodes: JsonObject = { type: 'array', items: node, minItems: 1, maxItems: 256 };
/** At most 8 deep and 256 in all, which no schema can say. */
const ruleNode: JsonObject = {
  type: 'object',
  properties: {
    all: nodes,
    any: nodes,
    not: node,
    compare: objectOf({
      left: anyOperand,
      op: { enum: ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'contains'] },
      right: anyOperand,
    }),
    exists: anyOperand,
  },
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
};

const condition: JsonObject = {
  description: 'What must hold for it to fire; null: nothing.',
  anyOf: [
    objectOf(
      {
        bindings: { type: 'array', items: binding, minItems: 1, maxItems: 5 },
        rule: node,
        skewSeconds: integer(0, 86_400),
      },
      ['skewSeconds'],
    ),
    { type: 'null' },
  ],
};

const firing: JsonObject = objectOf(
  {
    trigger: { enum: ['match', 'edge', 'once'], description: 'Every match; a match after none; the first match only' },
    cooldownSeconds: integer(0, 2_678_400),
    overlap: { enum: ['skip', 'coalesce', 'queue'], description: 'For a match while an occurrence is active' },
    retryForSeconds: integer(0, 86_400),
    maxOccurrences: integer(1, 1_000_000),
    endAt: anyInstant,
  },
  ['retryForSeconds', 'maxOccurrences', 'endAt'],
);

const contract: JsonObject = {
  ...objectOf({
    type: { const: 'ledger_intents_transfer' },
    actions: { type: 'array', items: { type: 'object' }, description: 'As in the contract of intents_transfer' },
    bounds: objectOf({ maxUses: integer(1, 1000), perUseUsd: usd, totalUsd: usd, notAfter: anyInstant }),
  }),
  description: 'What occurrences may do without asking again, once approved apart: this very list of actions.',
};

const profile: JsonObject = {
  ...objectOf(
    {
      model: text(256),
      instructions: { type: 'string', maxLength: limits.instructionsLengthMax },
      tools: { type: 'array', items: { type: 'string' }, maxItems: limits.profileToolsMax },
      maxSteps: integer(1, limits.maxStepsMax),
      outputSchema: { type: 'object', description: 'JSON Schema of the answer' },
    },
    ['model', 'instructions', 'tools', 'maxSteps', 'outputSchema'],
  ),
  description: 'Absent: what the deployment offers.',
};

const definition: JsonObject = objectOf(
  {
    name: text(120),
    prompt: text(8192, 'What the agent is asked to do at each occurrence'),
    conversation: { enum: ['new', 'same'], description: 'A conversation for each occurrence, or one for all' },
    wake,
    condition,
    firing,
    contract,
    profile,
  },
  ['contract', 'profile'],
);

/** The input of `automation_create` as models are told of it (docs/decisions/automations.md); `parseDefinition` is what decides. */
export const createAutomationSchema: JsonObject = {
  ...objectOf({ definition }),
  $defs: { node: ruleNode, operand, instant },
};

/** The input of `automation_update`; the shape of a definition is told once, with `automation_create`. */
export const updateAutomationSchema: JsonObject = objectOf({
  automationId: text(36),
  revision: text(64, 'As automation_list shows it'),
  definition: { type: 'object', description: 'Whole, as automation_create takes it' },
});

/** The input of `automation_list`. */
export const listAutomationsSchema: JsonObject = objectOf({ state: { enum: ['enabled', 'paused', 'archived'] } }, [
  'state',
]);
