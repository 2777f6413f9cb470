import { instantOf, type Instant } from '@app/kernel';
import type { AutomationDefinition, FiringPolicy, Schedule } from './automation-definition';
import { checkDefinition, pinnedTokens } from './definition-checks';

const at = (text: string): Instant => instantOf(Date.parse(text));
const now = at('2026-06-01T12:00:00Z');
const offer = {
  models: ['rules'],
  defaultModel: 'rules',
  tools: ['intents_transfer'],
  agents: [{ name: 'buyer', version: '1', instructions: null, tools: ['intents_transfer'] }],
};
const tokens = [
  { tokenId: 'nep141:usdc', decimals: 6 },
  { tokenId: 'nep141:wrap.near', decimals: 24 },
];
const firing: FiringPolicy = { trigger: 'match', cooldownSeconds: 0, overlap: 'skip', retryForSeconds: 900 };
const scheduled = (schedule: Schedule): Partial<AutomationDefinition> => ({ wake: { kind: 'schedule', schedule } });
const cron = (expression: string, timezone = 'UTC'): Partial<AutomationDefinition> =>
  scheduled({ kind: 'cron', expression, timezone });
const swap = (decimals: number, notAfter = '2026-07-01T00:00:00Z'): Partial<AutomationDefinition> => {
  const usdc = { pinned: { tokenId: 'nep141:usdc', decimals } };
  const output = { pinned: { tokenId: 'nep141:wrap.near', decimals: 24 } };
  const bounds = { maxUses: 1, perUseUsd: '1', totalUsd: '1', notAfter: at(notAfter) };
  const all = { kind: 'withdraw_to_owner', input: usdc, quantity: { kind: 'all_of_input' } } as const;
  const quantity = { kind: 'exact_input_tokens', amountRaw: '1' } as const;
  const actions = [{ kind: 'swap', input: usdc, output, quantity } as const, all];
  return { contract: { type: 'ledger_intents_transfer', actions, bounds } };
};
const bound = (binding: string): Partial<AutomationDefinition> => ({
  condition: {
    bindings: [{ name: 'order', source: { kind: 'event' }, maxAgeSeconds: 60 }],
    rule: { not: { exists: { binding, field: '/data' } } },
  },
});
const watching = (tokenId: string): Partial<AutomationDefinition> => ({
  condition: {
    bindings: [{ name: 'held', source: { kind: 'wallet_balance', tokenId }, maxAgeSeconds: 60 }],
    rule: { exists: { binding: 'held', field: '/amount' } },
  },
});
const definition = (members: Partial<AutomationDefinition>): AutomationDefinition => ({
  name: 'n',
  prompt: 'p',
  conversation: 'new',
  condition: null,
  firing,
  wake: { kind: 'event', types: ['a'] },
  ...members,
});

test.each([
  ['an event wake', {}],
  ['a cron schedule', cron('0 9 29 2 *', 'Australia/Lord_Howe')],
  ['once, in a while', scheduled({ kind: 'once', at: at('2026-06-01T12:00:00.001Z') })],
  ['an end that is to come', { firing: { ...firing, endAt: at('2026-06-01T12:00:00.001Z') } }],
  ['a bound name', bound('order')],
  ['a token that the provider knows', watching('nep141:wrap.near')],
  ['what the deployment offers', { profile: { model: 'rules', tools: ['intents_transfer'] } }],
  ['an agent that the deployment offers', { profile: { agent: 'buyer' } }],
  ['tokens that the provider knows', swap(6)],
])('takes %s', (_, members) => {
  expect(checkDefinition(definition(members), { now, offer, tokens })).toEqual({ ok: true, value: true });
});

test.each([
  ['an expression of six fields', cron('0 0 9 * * *')],
  ['an expression that is none', cron('daily')],
  ['an unknown zone', cron('0 9 * * *', 'Mars/Olympus')],
  ['a distance for a zone', cron('0 9 * * *', '+02:00')],
  ['30 February', cron('0 9 30 2 *')],
  ['once, now', scheduled({ kind: 'once', at: now })],
  [
    'a schedule that begins when it ends',
    { ...cron('0 13 * * *'), firing: { ...firing, endAt: at('2026-06-01T13:00:00Z') } },
  ],
  ['an end that has come', { firing: { ...firing, endAt: now } }],
  ['an unbound name', bound('other')],
  ['a token that no source knows', watching('nep141:unknown.near')],
  ['an unknown model', { profile: { model: 'other' } }],
  ['an unknown agent', { profile: { agent: 'buyer@2' } }],
  ['an unknown tool', { profile: { tools: ['intents_transfer', 'other'] } }],
  ['a contract that has ended', swap(6, '2026-06-01T12:00:00Z')],
  ['decimals that the provider tells otherwise', swap(5)],
])('refuses %s', (_, members) => {
  expect(checkDefinition(definition(members), { now, offer, tokens })).toEqual({
    ok: false,
    refusal: { kind: 'reason', reason: 'automation_invalid' },
  });
});

it('refuses tokens that the provider does not know', () => {
  expect(checkDefinition(definition(swap(6)), { now, offer, tokens: tokens.slice(1) }).ok).toBe(false);
});

it('names the tokens to ask the provider about, each once', () => {
  expect(pinnedTokens(definition(swap(6)))).toEqual(tokens);
  expect(pinnedTokens(definition({}))).toEqual([]);
});
