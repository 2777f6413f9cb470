import { standalone } from '@app/http';
import { isBoundedJson, type JsonObject, type JsonValue } from '@app/kernel';
import { Profile } from '@app/runs';
import { object, read, withoutOthers } from '@app/schema';
import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { withoutAbsent } from '@app/testing/documents';
import { mutationsOf } from '@app/testing/properties';
import type { AutomationDefinition } from './automation-definition';
import { examples } from '../api/automation-examples';
import { behaviorText } from './behavior';
import { operandsIn, type RuleNode } from '../condition/condition';
import { parseDefinition } from './definition-checks';
import { definitionShape } from './definition.schema';
import { InboundEventShape } from '../inputs/inbound-event';

const MUTATIONS = process.env['FIGURES'] === 'full' ? 40_000 : 2_000;

const ajv = addFormats(new Ajv2020({ strict: false }));
const described = standalone(withoutOthers(object({ definition: definitionShape, profile: Profile })));
const { components } = described;
const definition: JsonObject = {
  $ref: '#/components/schemas/AutomationDefinition',
  ...(components !== undefined && { components }),
};
const isDescribed = ajv.compile(definition);
const isDescribedEvent = ajv.compile(standalone(InboundEventShape));

/** Rules of the parser that JSON Schema cannot express, for values that have the described shape. */
const beyondSchema: Readonly<Record<string, (definition: AutomationDefinition) => boolean>> = {
  'texts without U+0000': ({ name, prompt, profile = {}, wake }) => {
    const schedule = wake.kind === 'schedule' && wake.schedule.kind === 'cron' ? wake.schedule : null;
    const texts = [name, prompt, profile['model'], profile['instructions'], schedule?.expression, schedule?.timezone];
    return texts.some((text) => typeof text === 'string' && text.includes('\0'));
  },
  'bindings with names of their own': ({ condition }) => {
    const names = condition?.bindings.map(({ name }) => name) ?? [];
    return new Set(names).size < names.length;
  },
  'at most 8 levels of a rule': ({ condition }) => condition !== null && depthOf(condition.rule) > 8,
  'at most 256 nodes of a rule': ({ condition }) => condition !== null && nodesOf(condition.rule) > 256,
  'at most 64 KiB of a rule': ({ condition }) =>
    condition !== null && Buffer.byteLength(JSON.stringify(condition.rule)) > 64 * 1024,
  'constants within the limits of arbitrary JSON': ({ condition }) =>
    condition !== null && operandsIn(condition.rule).some((one) => 'value' in one && !isBoundedJson(one.value)),
  'a swap of two different tokens': ({ contract }) =>
    contract?.actions.some(
      (action) =>
        action.kind === 'swap' &&
        'pinned' in action.input &&
        'pinned' in action.output &&
        action.input.pinned.tokenId === action.output.pinned.tokenId,
    ) ?? false,
};

const childrenOf = (node: RuleNode): readonly RuleNode[] => {
  if ('all' in node) return node.all;
  if ('any' in node) return node.any;
  return 'not' in node ? [node.not] : [];
};
const depthOf = (node: RuleNode): number => 1 + Math.max(0, ...childrenOf(node).map(depthOf));
const nodesOf = (node: RuleNode): number => childrenOf(node).reduce((sum, child) => sum + nodesOf(child), 1);

const names = fc.constantFrom('price', 'b', `a${'-'.repeat(31)}`);
const fields = fc.constantFrom('', '/priceUsd', '/data/a~1b/0', '/~0');
const constants = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('2', 2, null)) as fc.Arbitrary<JsonValue>;
const operands = fc.oneof(fc.record({ binding: names, field: fields }), fc.record({ value: constants }));
const leaves = fc.oneof(
  fc.record({
    compare: fc.record({
      left: operands,
      right: operands,
      op: fc.constantFrom('eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'contains'),
    }),
  }),
  fc.record({ exists: operands }),
);
const { rules } = fc.letrec((tie) => ({
  rules: fc.oneof(
    { maxDepth: 7, depthSize: 'small' },
    leaves,
    fc.record({ all: fc.array(tie('rules'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ any: fc.array(tie('rules'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie('rules') }),
  ),
}));
const tokenId = fc.constantFrom('nep141:wrap.near', 'nep245:v2_1.omni.hot.tg:1100_sandbox', '!'.repeat(512));
const bindings = fc.uniqueArray(
  fc.record({
    name: names,
    source: fc.oneof(
      fc.record({ kind: fc.constantFrom('token_price', 'wallet_balance'), tokenId }),
      fc.constant({ kind: 'event' }),
    ),
    maxAgeSeconds: fc.integer({ min: 1, max: 86_400 }),
  }),
  { minLength: 1, maxLength: 3, selector: ({ name }) => name },
);
const instants = fc.constantFrom(
  '2027-01-31T09:00:00Z',
  '2027-01-31T09:00:00.5Z',
  '2027-01-31T09:00:00.123Z',
  '2027-01-31t09:00:00z',
  '2027-01-31T09:00:00+00:00',
  '2027-01-31T23:59:59.123456789-05:00',
  '2027-01-31T09:00:00.1234567+05:45',
);
const near = { pinned: { tokenId: 'nep141:wrap.near', decimals: 24 } };
const contracts = fc.record({
  type: fc.constant('ledger_intents_transfer'),
  actions: fc.array(
    fc.constantFrom(
      { kind: 'withdraw_to_owner', input: near, quantity: { kind: 'exact_input_tokens', amountRaw: '1' } },
      { kind: 'withdraw_to_owner', input: { any: true }, quantity: { kind: 'exact_input_value_usd', value: '1.5' } },
      { kind: 'swap', input: { any: true }, output: near, quantity: { kind: 'exact_output_tokens', amountRaw: '5' } },
      { kind: 'swap', input: near, output: { any: true }, quantity: { kind: 'fraction_of_input', bps: '2500' } },
    ),
    { minLength: 1, maxLength: 16 },
  ),
  bounds: fc.record({
    maxUses: fc.integer({ min: 1, max: 1000 }),
    perUseUsd: fc.constantFrom('5', '0.01'),
    totalUsd: fc.constantFrom('50', '1.0'),
    notAfter: instants,
  }),
});

const definitions = fc.record(
  {
    name: fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme-ascii' }),
    prompt: fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme-ascii' }),
    profile: fc.record(
      { model: fc.constant('parley/rules'), tools: fc.constant(['wallet_balances']), maxSteps: fc.constantFrom(1, 50) },
      { requiredKeys: [] },
    ),
    conversation: fc.constantFrom('new', 'same'),
    wake: fc.oneof(
      fc.record({
        kind: fc.constant('schedule'),
        schedule: fc.oneof(
          fc.constantFrom<JsonObject>({ kind: 'cron', expression: '0 9 * * *', timezone: 'Europe/Berlin' }),
          fc.record({ kind: fc.constant('every'), seconds: fc.integer({ min: 60, max: 2_678_400 }) }),
          fc.record({ kind: fc.constant('once'), at: instants }),
        ),
      }),
      fc.record({ kind: fc.constant('event'), types: fc.constantFrom(['order.placed'], ['a', 'B_c:d-e.f']) }),
    ),
    condition: fc.option(
      fc.record({ bindings, rule: rules, skewSeconds: fc.nat(86_400) }, { requiredKeys: ['bindings', 'rule'] }),
    ),
    firing: fc.record(
      {
        trigger: fc.constantFrom('match', 'edge', 'once'),
        cooldownSeconds: fc.integer({ min: 0, max: 2_678_400 }),
        overlap: fc.constantFrom('skip', 'coalesce', 'queue'),
        retryForSeconds: fc.integer({ min: 0, max: 86_400 }),
        maxOccurrences: fc.integer({ min: 1, max: 1_000_000 }),
        endAt: instants,
      },
      { requiredKeys: ['trigger', 'cooldownSeconds', 'overlap'] },
    ),
    contract: contracts,
  },
  { requiredKeys: ['name', 'prompt', 'conversation', 'wake', 'condition', 'firing'] },
) as fc.Arbitrary<JsonObject>;

/** Reason for the assertion: the value has the described shape. */
const brokenRules = (value: JsonValue) =>
  Object.entries(beyondSchema).flatMap(([rule, isBroken]) =>
    isBroken(value as unknown as AutomationDefinition) ? [rule] : [],
  );

describe('the schema of a definition', () => {
  const rule = { exists: { value: 1 } };
  const list = (length: number, item: unknown) => Array.from({ length }, () => item);
  const binding = { name: 'b', source: { kind: 'event' }, maxAgeSeconds: 1 };
  const under = (node: unknown) => ({ condition: { bindings: [binding], rule: node } });
  const swap = { kind: 'swap', input: near, output: near, quantity: { kind: 'all_of_input' } };
  const bounds = { maxUses: 1, perUseUsd: '1', totalUsd: '1', notAfter: '2027-01-31T09:00:00Z' };
  it.each([
    ['texts without U+0000', { prompt: 'a\0' }],
    ['bindings with names of their own', { condition: { bindings: [binding, binding], rule } }],
    ['at most 8 levels of a rule', under(list(8, 0).reduce((node: unknown) => ({ not: node }), rule))],
    ['at most 256 nodes of a rule', under({ all: list(2, { any: list(128, rule) }) })],
    ['at most 64 KiB of a rule', under({ all: list(5, { exists: { value: 'x'.repeat(14_000) } }) })],
    ['constants within the limits of arbitrary JSON', under({ exists: { value: list(257, 1) } })],
    ['a swap of two different tokens', { contract: { type: 'ledger_intents_transfer', actions: [swap], bounds } }],
  ])('cannot ask for %s, as the parser does', (rule, change) => {
    const value = { ...examples.definition, ...change };
    expect([isDescribed(value), parseDefinition(value).ok]).toEqual([true, false]);
    expect(brokenRules(value as unknown as JsonValue)).toEqual([rule]);
  });

  it('has an example that is told as the status says', () => {
    const parsed = parseDefinition(examples.definition);
    expect(parsed.ok && behaviorText(parsed.value, () => 'wNEAR')).toBe(examples.status.behavior.text);
  });

  it('takes what the parser takes, as it was sent and as it is kept', () => {
    fc.assert(
      fc.property(definitions, (definition) => {
        const parsed = parseDefinition(definition);
        expect(parsed).toMatchObject({ ok: true });
        for (const value of [definition, parsed.ok ? parsed.value : null]) {
          expect([isDescribed(value), isDescribed.errors]).toEqual([true, null]);
        }
      }),
    );
  });

  it('and the parser say the same of every change in one place, but for what no schema says', () => {
    fc.assert(
      fc.property(mutationsOf(definitions), (value) => {
        const meant = withoutAbsent(value, definition);
        const rules = isDescribed(meant) ? brokenRules(meant) : ['schema'];
        expect({ value, accepted: parseDefinition(value).ok }).toEqual({ value, accepted: rules.length === 0 });
      }),
      { numRuns: MUTATIONS },
    );
  });
});

describe('the schema of an inbound event', () => {
  const events = fc.record({
    id: fc.constantFrom('order-4711', '9', `a${'.'.repeat(127)}`),
    type: fc.constantFrom('order.placed', `a${'-'.repeat(79)}`),
    occurredAt: instants,
    data: fc.constantFrom<JsonObject>({}, { total: '12.50', lines: [1, { a: null }] }),
  }) as fc.Arbitrary<JsonObject>;

  it('and its parser say the same of events, and of every change in one place', () => {
    fc.assert(
      fc.property(fc.oneof(events, mutationsOf(events)), (value) => {
        const parsed = read(InboundEventShape, value);
        expect({ value, accepted: parsed.ok }).toEqual({ value, accepted: isDescribedEvent(value) });
      }),
      { numRuns: MUTATIONS },
    );
  });
});
