import { parseDefinition } from '@app/automations';
import type { JsonObject, JsonValue } from '@app/kernel';
import { Ajv2020 } from 'ajv/dist/2020';
import { toolOf } from '../tool-declaration';
import { AutomationCreate } from './automation-create.tool';

/** The schema for models accepts what the parser accepts, as far as a schema can express it. */
const none = {} as never; // reason for the assertion: a tool's declaration uses none of its dependencies
const { inputSchema } = toolOf(new AutomationCreate(none, none, none, none));
const validates = new Ajv2020({ strict: false }).compile(inputSchema);
const verdicts = (definition: JsonValue): readonly boolean[] => [
  validates({ definition }),
  parseDefinition(definition).ok,
];

const least: JsonObject = {
  name: 'n',
  prompt: 'p',
  conversation: 'new',
  condition: null,
  wake: { kind: 'schedule', schedule: { kind: 'every', seconds: 60 } },
  firing: { trigger: 'match', cooldownSeconds: 0, overlap: 'skip', retryForSeconds: 900 },
};
const token = { pinned: { tokenId: 'nep141:wrap.near', decimals: 24 } };
const contract: JsonObject = {
  type: 'ledger_intents_transfer',
  actions: [{ kind: 'withdraw_to_owner', input: token, quantity: { kind: 'all_of_input' } }],
  bounds: { maxUses: 1, perUseUsd: '1.5', totalUsd: '20', notAfter: '2099-01-01T00:00:00.000Z' },
};
const read = { binding: 'price', field: '/priceUsd' };
const price = { name: 'price', source: { kind: 'token_price', tokenId: 'nep141:wrap.near' }, maxAgeSeconds: 180 };
const compare = { compare: { left: read, op: 'lt', right: { value: '2' } } };
const condition = { bindings: [price], rule: { all: [compare, { not: { exists: read } }, { any: [compare] }] } };
const withCondition = (change: JsonObject) => ({ ...least, condition: { ...condition, ...change } });
const withWake = (schedule: JsonObject) => ({ ...least, wake: { kind: 'schedule', schedule } });
const withFiring = (change: JsonObject) => ({ ...least, firing: { ...(least['firing'] as JsonObject), ...change } }); // reason: it is an object

it.each<[string, JsonValue]>([
  ['the least', least],
  ['a contract', { ...least, contract }],
  ['a condition', withCondition({ skewSeconds: 60 })],
  ['cron', withWake({ kind: 'cron', expression: '0 9 * * *', timezone: 'Europe/Berlin' })],
  ['once', withWake({ kind: 'once', at: '2099-01-01T00:00:00.000Z' })],
  ['events', { ...least, wake: { kind: 'event', types: ['signal'] } }],
  ['all of a policy', withFiring({ maxOccurrences: 1, endAt: '2099-01-01T00:00:00.000Z', trigger: 'edge' })],
  ['a type of 80 characters', { ...least, wake: { kind: 'event', types: ['t'.repeat(80)] } }],
  ['a balance', withCondition({ bindings: [{ ...price, source: { ...price.source, kind: 'wallet_balance' } }] })],
  ['an event', withCondition({ bindings: [{ ...price, source: { kind: 'event' } }] })],
  ['an output schema', { ...least, profile: { outputSchema: { type: 'object' } } }],
  ['a profile', { ...least, profile: { tools: ['current_time'], maxSteps: 3 } }],
])('both take %s', (_, definition) => expect(verdicts(definition)).toEqual([true, true]));

it.each<[string, JsonValue]>([
  ['no object', []],
  ['no name', { ...least, name: '' }],
  ['an overlong name', { ...least, name: 'n'.repeat(121) }],
  ['an unknown member', { ...least, consent: 'auto' }],
  ['another conversation', { ...least, conversation: 'mine' }],
  [
    'a contract without bounds',
    { ...least, contract: { type: contract['type'] ?? '', actions: contract['actions'] ?? [] } },
  ],
  ['too short an interval', withWake({ kind: 'every', seconds: 59 })],
  ['too long an interval', withWake({ kind: 'every', seconds: 2_678_401 })],
  ['no event types', { ...least, wake: { kind: 'event', types: [] } }],
  ['a type that begins with a digit', { ...least, wake: { kind: 'event', types: ['1'] } }],
  ['a price of no token', withCondition({ bindings: [{ ...price, source: { kind: 'token_price' } }] })],
  ['an event of a token', withCondition({ bindings: [{ ...price, source: { ...price.source, kind: 'event' } }] })],
  ['no pointer', withCondition({ rule: { exists: { binding: 'price', field: 'priceUsd' } } })],
  ['another trigger', withFiring({ trigger: 'always' })],
  ['a negative cooldown', withFiring({ cooldownSeconds: -1 })],
  ['no bindings', withCondition({ bindings: [] })],
  ['six bindings', withCondition({ bindings: Array.from({ length: 6 }, (_, n) => ({ ...price, name: `p${n}` })) })],
  ['a binding without an age', withCondition({ bindings: [{ name: 'price', source: price.source }] })],
  ['another operator', withCondition({ rule: { compare: { left: read, op: 'like', right: read } } })],
  ['two rules in one', withCondition({ rule: { ...compare, exists: read } })],
  ['none at all', withCondition({ rule: { all: [] } })],
])('neither takes %s', (_, definition) => expect(verdicts(definition)).toEqual([false, false]));
