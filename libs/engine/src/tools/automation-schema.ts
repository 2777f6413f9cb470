import { limits, type JsonObject, type JsonValue } from '@app/kernel';
import { contractSchema } from './transfer-schema';

const text = (maxLength: number, description?: string): JsonObject => ({
  ...{ type: 'string', minLength: 1, maxLength },
  ...(description === undefined ? {} : { description }),
});
const whole = (minimum: number, maximum: number, description?: string): JsonObject => ({
  ...{ type: 'integer', minimum, maximum },
  ...(description === undefined ? {} : { description }),
});
const instant: JsonObject = { type: 'string', description: 'UTC, such as 2027-01-31T09:00:00.000Z' };
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
    objectOf({ kind: { const: 'every' }, seconds: whole(60, 2_678_400) }),
    objectOf({ kind: { const: 'once' }, at: instant }),
  ],
};

const wake: JsonObject = {
  description: 'When the rule is looked at.',
  anyOf: [
    objectOf({ kind: { const: 'schedule' }, schedule }),
    objectOf({ kind: { const: 'event' }, types: { type: 'array', items: text(64), minItems: 1, maxItems: 16 } }),
  ],
};

const ofToken = (kind: string): JsonObject => objectOf({ kind: { const: kind }, tokenId: text(512) });
const bindingName: JsonObject = { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_-]{0,31}$' };
const binding: JsonObject = objectOf({
  name: bindingName,
  source: {
    description:
      'Fields that a pointer sees: /tokenId /priceUsd of token_price; /tokenId /amountRaw /amount /valueUsd of wallet_balance; ' +
      'of an event the whole of it, its data under /data.',
    anyOf: [ofToken('token_price'), ofToken('wallet_balance'), objectOf({ kind: { const: 'event' } })],
  },
  maxAgeSeconds: whole(1, 86_400, 'An older value cannot be read; prices and balances are sampled every 60 seconds'),
});

const operand: JsonObject = {
  anyOf: [
    objectOf({ binding: bindingName, field: { type: 'string', description: 'JSON pointer, such as /priceUsd' } }),
    objectOf({ value: { description: 'Any JSON; decimals as texts compare as numbers' } }),
  ],
};
const node: JsonObject = { $ref: '#/$defs/node' };
const nodes: JsonObject = { type: 'array', items: node, minItems: 1 };
/** At most 8 deep and 256 in all, which no schema can say. */
const ruleNode: JsonObject = {
  anyOf: [
    objectOf({ all: nodes }),
    objectOf({ any: nodes }),
    objectOf({ not: node }),
    objectOf({
      compare: objectOf({
        left: operand,
        op: { enum: ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'contains'] },
        right: operand,
      }),
    }),
    objectOf({ exists: operand }),
  ],
};

const condition: JsonObject = {
  description: 'What must hold for it to fire; null: nothing.',
  anyOf: [
    objectOf(
      {
        bindings: { type: 'array', items: binding, minItems: 1, maxItems: 5 },
        rule: node,
        skewSeconds: whole(0, 86_400),
      },
      ['skewSeconds'],
    ),
    { type: 'null' },
  ],
};

const firing: JsonObject = objectOf(
  {
    trigger: { enum: ['match', 'edge', 'once'], description: 'Every match; a match after none; the first match only' },
    cooldownSeconds: whole(0, 2_678_400),
    overlap: { enum: ['skip', 'coalesce', 'queue'], description: 'For a match while an occurrence is active' },
    retryForSeconds: whole(0, 86_400),
    maxOccurrences: whole(1, 1_000_000),
    endAt: instant,
  },
  ['retryForSeconds', 'maxOccurrences', 'endAt'],
);

const contract: JsonObject = {
  ...contractSchema({
    bounds: objectOf({ maxUses: whole(1, 1000), perUseUsd: usd, totalUsd: usd, notAfter: instant }),
  }),
  description:
    'What occurrences may do without asking again, once the user has approved it apart; each use must be this very list of actions.',
};

const profile: JsonObject = {
  ...objectOf(
    {
      model: text(256),
      instructions: { type: 'string', maxLength: limits.instructionsLengthMax },
      tools: { type: 'array', items: { type: 'string' }, maxItems: limits.profileToolsMax },
      maxSteps: whole(1, limits.maxStepsMax),
    },
    ['model', 'instructions', 'tools', 'maxSteps'],
  ),
  description: 'Absent: the model and the tools that the deployment offers.',
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

function inputSchema(properties: JsonObject): JsonObject {
  const $defs: JsonValue = { node: ruleNode };
  return { ...objectOf(properties), $defs };
}

/** The input of `automation_create` as models are told of it (docs/decisions/automations.md); `parseDefinition` is what decides. */
export const createAutomationSchema: JsonObject = inputSchema({ definition });

/** The input of `automation_update`. */
export const updateAutomationSchema: JsonObject = inputSchema({
  automationId: text(36),
  revision: text(64, 'As automation_list shows it'),
  definition,
});

/** The input of `automation_list`. */
export const listAutomationsSchema: JsonObject = objectOf({ state: { enum: ['enabled', 'paused', 'archived'] } }, [
  'state',
]);
