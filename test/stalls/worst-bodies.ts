import { randomUUID } from 'node:crypto';
import type { Ids } from '../e2e/operation-call';
import { usdc } from '@app/testing/journeys';

/** Schemas of 15 KB, each slow to handle in another way. */
const schemas: readonly object[] = [
  {
    type: 'object',
    properties: Object.fromEntries(numbered(220, (index) => [`p${index}`, { type: 'string', enum: ['a'] }])),
    anyOf: numbered(450, (index) => ({ enum: [index] })),
  },
  { properties: Object.fromEntries(numbered(200, (index) => [`p${index}`, alternatives(3)])) },
  { required: numbered(900, String), properties: { 899: false }, anyOf: numbered(1_200, () => ({})) },
  { type: 'array', minItems: 60_000, items: { const: 'x'.repeat(6_000) }, anyOf: numbered(1_500, () => ({})) },
  nested(9, { type: 'integer', minimum: 2, maximum: 1 }),
  deep(14, { enum: numbered(2_000, String) }),
];

/** Texts that the rules model matches against patterns. */
const texts: readonly string[] = [
  'repeat ',
  'summarize ',
  'what is the time in ',
  ' and ',
  ' and then ',
  'every day at ',
  'when ',
  'a.',
  '?!.',
  'withdraw ',
  'swap 1 ',
  'swap $1 of a to ',
  'when a is below 1 ',
  'every 1 day ',
  '\n',
  '  ',
  '1',
  '😀',
].map((unit) => unit.repeat(Math.floor(32_768 / [...unit].length)));

/** A rule of many leaves, each of which compares as much as allowed. */
function heavyRule(): object {
  const read = (field: string) => ({ binding: 'order', field });
  const leaves = [
    { left: read('/data/text'), op: 'contains', right: { value: `${'x'.repeat(200)}y` } },
    { left: read('/data'), op: 'eq', right: read('/data') },
    { left: read('/data/number'), op: 'lt', right: { value: `${'9'.repeat(250)}.${'9'.repeat(240)}` } },
    { left: read('/data/list'), op: 'contains', right: { value: { index: 'none' } } },
  ];
  return { all: numbered(200, (index) => ({ compare: leaves[index % leaves.length] })) };
}

/** A rule that is expensive to evaluate for an event of `heavyData`. */
export function definition(change: object = {}): object {
  return {
    name: 'n'.repeat(120),
    prompt: 'p '.repeat(4_000),
    conversation: 'new',
    wake: { kind: 'event', types: numbered(16, (index) => `t${index}`) },
    condition: {
      bindings: [
        { name: 'order', source: { kind: 'event' }, maxAgeSeconds: 60 },
        { name: 'price', source: { kind: 'token_price', tokenId: usdc }, maxAgeSeconds: 60 },
      ],
      rule: heavyRule(),
    },
    firing: { trigger: 'match', cooldownSeconds: 0, overlap: 'queue', retryForSeconds: 60 },
    ...change,
  };
}

const crons = [
  '0 0 30 2 *',
  '0 0 29 2 *',
  '59 23 31 12 6#5',
  '0 0 L 2 1#5',
  `${numbered(60, String).join()} ${numbered(24, String).join()} * * *`.slice(0, 256),
  `${'*/1,'.repeat(60)}* * * * *`,
  `0 0 31 2,4,6,9,11 *`,
  '0-59/59 0-23/23 1-31/30 1-12/11 0-6/6',
];

const definitions = (): readonly object[] => [
  definition(),
  ...crons.flatMap((expression) =>
    ['Europe/Berlin', 'America/Sao_Paulo', 'Antarctica/Troll', 'A'.repeat(64)].map((timezone) =>
      definition({ condition: null, wake: { kind: 'schedule', schedule: { kind: 'cron', expression, timezone } } }),
    ),
  ),
  ...schemas.map((outputSchema) => definition({ profile: { outputSchema } })),
  definition({
    contract: { type: 'ledger_intents_transfer', actions: numbered(16, heavyAction), bounds: bounds('9') },
  }),
  definition({
    contract: { type: 'ledger_intents_transfer', actions: numbered(3_000, heavyAction), bounds: bounds('9') },
  }),
  definition({ contract: { type: 'ledger_intents_transfer', actions: [], bounds: bounds('9'.repeat(100_000)) } }),
];

export const heavyData = {
  text: 'x'.repeat(12_000),
  number: `${'9'.repeat(250)}.${'9'.repeat(240)}`,
  list: numbered(100, (index) => ({ index })),
};
const event = () => ({ id: randomUUID(), type: 't0', occurredAt: '2026-05-05T10:00:00Z', data: heavyData });

const longTexts = ['😀'.repeat(200), '😀'.repeat(1_000), 'sha256:'.repeat(30_000), '9'.repeat(200_000)];

/**
 * The worst bodies that are well-formed enough to pass the first checks: those listed for the operation, or else, if a body has only texts,
 * each text in turn too long. @returns none for an operation that has neither
 */
export function worstBodiesOf(operation: string, wellFormed: object, ids: Ids): readonly object[] {
  const listed = worstBodies[operation];
  if (listed !== undefined) return listed(ids);
  if (Object.values(wellFormed).some((value) => typeof value !== 'string')) return [];
  return Object.keys(wellFormed).flatMap((name) => longTexts.map((text) => ({ ...wellFormed, [name]: text })));
}

const worstBodies: Readonly<Record<string, (ids: Ids) => readonly object[]>> = {
  'runs.start': ({ conversationId }) => [
    ...schemas.map((outputSchema) => run(conversationId, 'x', { outputSchema })),
    ...texts.map((text) => run(conversationId, text, {})),
    run(conversationId, 'x', {
      instructions: '😀'.repeat(8_192),
      tools: numbered(64, (index) => 'x'.repeat(2_000) + index),
    }),
  ],
  'wallets.prepareWithdrawal': () => [
    { tokenId: usdc, amountRaw: '9'.repeat(200_000) },
    { tokenId: 'nep141:'.repeat(30_000), amountRaw: '1' },
  ],
  'automations.create': definitions,
  'automations.update': ({ revision }) => definitions().map((one) => ({ revision, definition: one })),
  'automations.signal': ({ revision }) => [{ revision, idempotencyKey: randomUUID(), input: heavyData }],
  'automations.invoke': ({ revision }) => [{ revision, idempotencyKey: randomUUID(), input: heavyData }],
  'automations.testCondition': () => [{ event: event() }],
  'automations.simulate': () => [week()],
};

/** The last seven days, which is the maximum. */
function week(): { readonly from: string; readonly to: string } {
  const now = Date.now() - 1_000;
  return { from: new Date(now - 7 * 86_400_000).toISOString(), to: new Date(now).toISOString() };
}

function run(conversationId: string, text: string, profile: object): object {
  return { conversationId, runId: randomUUID(), input: { text }, profile: { model: 'parley/rules', ...profile } };
}

function heavyAction(): object {
  const pinned = { tokenId: `nep141:${'a'.repeat(60)}`, decimals: 38 };
  return {
    kind: 'swap',
    input: { pinned },
    output: { any: true },
    quantity: { kind: 'exact_input_tokens', amountRaw: '9'.repeat(39) },
  };
}

function bounds(usd: string): object {
  return { maxUses: 1000, perUseUsd: usd, totalUsd: usd, notAfter: '9999-01-01T00:00:00Z' };
}

function alternatives(count: number): object {
  return { type: 'string', anyOf: numbered(count, (index) => ({ enum: [index] })) };
}

/** Nested alternatives, two on each level. */
function nested(levels: number, leaf: object): object {
  let schema: object = { anyOf: [leaf, leaf] };
  for (let level = 1; level < levels; level += 1) schema = { anyOf: [schema, schema] };
  return schema;
}

function deep(levels: number, leaf: object): object {
  let schema = leaf;
  for (let level = 0; level < levels; level += 1) schema = { properties: { a: schema }, required: ['a'] };
  return schema;
}

function numbered<Item>(count: number, item: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => item(index));
}
