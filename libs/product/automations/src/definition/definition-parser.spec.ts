import { parseDefinition } from './definition-checks';

const whole = {
  name: 'Buy low',
  prompt: 'Swap 10 USDC to NEAR.',
  profile: { tools: ['intents_transfer'], maxSteps: 3 },
  conversation: 'same',
  wake: { kind: 'schedule', schedule: { kind: 'cron', expression: '0 9 * * *', timezone: 'Europe/Berlin' } },
  condition: {
    bindings: [{ name: 'near', source: { kind: 'token_price', tokenId: 'nep141:wrap.near' }, maxAgeSeconds: 120 }],
    rule: { compare: { left: { binding: 'near', field: '/priceUsd' }, op: 'lt', right: { value: '2' } } },
    skewSeconds: 60,
  },
  firing: {
    trigger: 'edge',
    cooldownSeconds: 60,
    overlap: 'queue',
    retryForSeconds: 0,
    maxOccurrences: 1,
    endAt: '2030-01-01T00:00:00.000Z',
  },
  contract: {
    type: 'ledger_intents_transfer',
    actions: [
      {
        kind: 'swap',
        input: { pinned: { tokenId: 'nep141:usdc', decimals: 6 } },
        output: { pinned: { tokenId: 'nep141:wrap.near', decimals: 24 } },
        quantity: { kind: 'exact_input_tokens', amountRaw: '10000000' },
      },
    ],
    bounds: { maxUses: 1, usesPerOccurrence: 1, perUseUsd: '11', totalUsd: '11', notAfter: '2030-01-01T00:00:00.000Z' },
  },
};
const firing = { trigger: 'match', cooldownSeconds: 0, overlap: 'skip' };
const least = {
  name: 'n',
  prompt: 'p',
  conversation: 'new',
  condition: null,
  firing,
  wake: { kind: 'event', types: ['order.paid'] },
};

function issuesOf(value: unknown): Record<string, string> {
  const result = parseDefinition(value);
  if (result.ok) return {};
  if (result.refusal.kind !== 'invalid_input') throw new Error(result.refusal.kind);
  return Object.fromEntries(result.refusal.issues.map(({ path, message }) => [path, message]));
}

it('keeps what is given, and fills in how long admissions are tried again', () => {
  expect(parseDefinition(whole)).toEqual({ ok: true, value: whole });
  expect(parseDefinition(least)).toEqual({
    ok: true,
    value: { ...least, firing: { ...firing, retryForSeconds: 900 } },
  });
});

it('fills in that one occurrence may use a contract once', () => {
  const { usesPerOccurrence: _, ...bounds } = whole.contract.bounds;
  expect(parseDefinition({ ...whole, contract: { ...whole.contract, bounds } })).toEqual({ ok: true, value: whole });
});

it('spells instants in UTC with milliseconds', () => {
  const schedule = { kind: 'once', at: '2030-01-01T00:00:00Z' };
  const result = parseDefinition({
    ...least,
    wake: { kind: 'schedule', schedule },
    firing: { ...firing, endAt: '2031-01-01T01:00:00.5009999+01:00' },
  });
  expect(result).toMatchObject({
    value: { wake: { schedule: { at: '2030-01-01T00:00:00.000Z' } }, firing: { endAt: '2031-01-01T00:00:00.500Z' } },
  });
});

it('takes null for what may be absent, and keeps it as absent', () => {
  const nothing = { retryForSeconds: null, maxOccurrences: null, endAt: null };
  expect(parseDefinition({ ...least, profile: null, contract: null, firing: { ...firing, ...nothing } })).toEqual(
    parseDefinition(least),
  );
  const { skewSeconds: _, ...condition } = whole.condition;
  expect(parseDefinition({ ...whole, condition: { ...condition, skewSeconds: null } })).toEqual(
    parseDefinition({ ...whole, condition }),
  );
  const outputSchema = { enum: [null, 1] };
  expect(parseDefinition({ ...least, profile: { model: null, maxSteps: 3, outputSchema } })).toMatchObject({
    value: { profile: { maxSteps: 3, outputSchema } },
  });
});

it('takes null for the members of a choice that were not chosen', () => {
  const unchosen = { all: null, any: null, not: null, compare: null, exists: null };
  const left = { binding: 'near', field: '/priceUsd', value: null };
  const compare = { left, op: 'ne', right: { binding: null, field: null, value: null } };
  const action = whole.contract.actions[0];
  const contract = {
    ...whole.contract,
    actions: [{ ...action, input: { ...action?.input, any: null }, output: { pinned: null, any: true } }],
  };
  const rule = {
    ...unchosen,
    any: [
      { ...unchosen, compare },
      { ...unchosen, not: { ...unchosen, exists: left } },
    ],
  };
  const read = { binding: 'near', field: '/priceUsd' };
  expect(parseDefinition({ ...whole, contract, condition: { ...whole.condition, rule } })).toEqual({
    ok: true,
    value: {
      ...whole,
      contract: { ...contract, actions: [{ ...action, output: { any: true } }] },
      condition: {
        ...whole.condition,
        rule: { any: [{ compare: { left: read, op: 'ne', right: { value: null } } }, { not: { exists: read } }] },
      },
    },
  });
});

it('needs all but profile and contract, and knows no other member', () => {
  const required = ['name', 'prompt', 'conversation', 'wake', 'condition', 'firing'];
  expect(issuesOf({})).toEqual(Object.fromEntries(required.map((name) => [`/${name}`, expect.any(String)])));
  for (const name of required) {
    const { [name as keyof typeof least]: _, ...rest } = least;
    expect(Object.keys(issuesOf(rest))).toEqual([`/${name}`]);
  }
  expect(issuesOf({ ...least, id: 1, firing: { ...firing, every: 1 } })).toEqual({
    '/id': 'is not known',
    '/firing/every': 'is not known',
  });
  for (const value of [null, [], 'x', 1]) expect(issuesOf(value)).toEqual({ '': 'must be an object' });
});

const near = { binding: 'near', field: '/priceUsd' };
const every = (seconds: unknown): object => ({ kind: 'schedule', schedule: { kind: 'every', seconds } });
const once = (at: unknown): object => ({ kind: 'schedule', schedule: { kind: 'once', at } });
const cron = (members: object): object => ({
  kind: 'schedule',
  schedule: { kind: 'cron', expression: '* * * * *', timezone: 'UTC', ...members },
});

test.each([
  ['/name', { name: '' }],
  ['/name', { name: '😀'.repeat(121) }],
  ['/name', { name: 'a\u0000' }],
  ['/name', { name: '\ud800' }],
  ['/prompt', { prompt: 'x'.repeat(8193) }],
  ['/conversation', { conversation: 'other' }],
  ['/wake/kind', { wake: { kind: 'never' } }],
  ['/wake/types', { wake: { kind: 'event', types: [] } }],
  ['/wake/types', { wake: { kind: 'event', types: Array.from({ length: 17 }, (_, index) => `t${index}`) } }],
  ['/wake/types/1', { wake: { kind: 'event', types: ['a', '1'] } }],
  ['/wake/types/0', { wake: { kind: 'event', types: [`t${'x'.repeat(80)}`] } }],
  ['/wake/schedule/seconds', { wake: every(59) }],
  ['/wake/schedule/seconds', { wake: every(2_678_401) }],
  ['/wake/schedule/seconds', { wake: every('60') }],
  ['/wake/schedule/at', { wake: once('2026-02-30T00:00:00Z') }],
  ['/wake/schedule/at', { wake: once('2026-01-01T00:00:00') }],
  ['/wake/schedule/at', { wake: once(null) }],
  ['/wake/schedule/expression', { wake: cron({ expression: '' }) }],
  ['/wake/schedule/expression', { wake: cron({ expression: '*'.repeat(257) }) }],
  ['/wake/schedule/timezone', { wake: cron({ timezone: 'x'.repeat(65) }) }],
  ['/wake/schedule/seconds', { wake: cron({ seconds: 1 }) }],
  ['/condition', { condition: [] }],
  ['/condition/bindings', { condition: { ...whole.condition, bindings: [] } }],
  ['/firing/trigger', { firing: { ...firing, trigger: 'always' } }],
  ['/firing/cooldownSeconds', { firing: { ...firing, cooldownSeconds: -1 } }],
  ['/firing/cooldownSeconds', { firing: { ...firing, cooldownSeconds: 2_678_401 } }],
  ['/firing/overlap', { firing: { ...firing, overlap: null } }],
  ['/firing/retryForSeconds', { firing: { ...firing, retryForSeconds: 86_401 } }],
  ['/firing/maxOccurrences', { firing: { ...firing, maxOccurrences: 0 } }],
  ['/firing/maxOccurrences', { firing: { ...firing, maxOccurrences: 1_000_001 } }],
  ['/firing/endAt', { firing: { ...firing, endAt: 'tomorrow' } }],
  ['/profile/maxSteps', { profile: { maxSteps: 51 } }],
  ['/profile/tools/0', { profile: { tools: [1] } }],
  ['/profile/toString', { profile: { toString: 1 } }],
  ['/condition/rule', { condition: { ...whole.condition, rule: { all: null, any: null } } }],
  ['/condition/rule/all/0', { condition: { ...whole.condition, rule: { all: [null] } } }],
  [
    '/condition/rule/exists/binding',
    { condition: { ...whole.condition, rule: { exists: { binding: 'near', value: 1 } } } },
  ],
  ['/condition/rule/exists/field', { condition: { ...whole.condition, rule: { exists: { ...near, field: null } } } }],
  ['/condition/other', { condition: { ...whole.condition, other: null } }],
  ['/wake/types/0', { wake: { kind: 'event', types: [null] } }],
  ['/contract/bounds', { contract: { type: whole.contract.type, actions: whole.contract.actions } }],
  ['/contract/bounds/maxUses', { contract: { ...whole.contract, bounds: { ...whole.contract.bounds, maxUses: 0 } } }],
])('refuses at %s what no schema lets through: %j', (path, members) => {
  expect(Object.keys(issuesOf({ ...least, ...members }))).toEqual([path]);
});

it('tells of many faults at once, within bounds', () => {
  expect(Object.keys(issuesOf({ ...least, name: 1, prompt: 2, wake: 3, firing: 4 }))).toHaveLength(4);
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`m${index}`, 1]));
  expect(Object.keys(issuesOf({ ...least, ...many }))).toHaveLength(32);
});
