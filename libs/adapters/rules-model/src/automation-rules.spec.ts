import type { JsonValue } from '@app/kernel';
import { modelRequest } from '@app/testing/runs';
import type { ToolExchange } from '@app/engine';
import { read } from '@app/schema';
import { AutomationContractShape } from '@app/wallets';
import { answerByRules } from './rules';
import { cpuMsOf } from '@app/testing/processes';

const asOf = '2026-03-01T10:00:00.000Z';
const usdc = {
  tokenId: 'nep141:usdc.near',
  symbol: 'USDC',
  decimals: 6,
  amountRaw: '250000000',
  priceUsdDecimal: '1.0',
};
const near = {
  tokenId: 'nep141:wrap.near',
  symbol: 'wNEAR',
  decimals: 24,
  amountRaw: `40${'0'.repeat(24)}`,
  priceUsdDecimal: '2.5',
};
const tools = [
  'wallet_balances',
  'token_price',
  'intents_transfer',
  'automation_create',
  'automation_list',
  'current_time',
];

const told = (tool: string, result: JsonValue, outcome: ToolExchange['outcome'] = 'ok', input: JsonValue = {}) => ({
  tool,
  input,
  outcome,
  result,
});
const held = told('wallet_balances', { assets: [usdc, near], asOf });
const priced = told('token_price', { ...near, asOf }, 'ok', { symbol: 'NEAR' });
const asked = (input: string, exchanges: readonly Omit<ToolExchange, 'toolCallId'>[] = [], offered = tools) =>
  answerByRules(modelRequest(input, exchanges, offered));

const calls = (tool: string, input: JsonValue) => ({ calls: [{ tool, input }] });
const text = (containing: string) => ({ text: expect.stringContaining(containing) as string });
const defined = (answer: ReturnType<typeof asked>) => {
  expect(answer).toMatchObject({ calls: [{ tool: 'automation_create' }] });
  const [call] = 'calls' in answer ? answer.calls : [];
  return call?.input['definition'] as { contract?: { bounds: object } }; // reason for the assertion: just checked
};

const swap = {
  kind: 'swap',
  input: { pinned: { tokenId: usdc.tokenId, decimals: 6 } },
  output: { pinned: { tokenId: near.tokenId, decimals: 24 } },
  quantity: { kind: 'exact_input_tokens', amountRaw: '10000000' },
};
const onPrice = (op: string, value: string) => ({
  bindings: [{ name: 'price', source: { kind: 'token_price', tokenId: near.tokenId }, maxAgeSeconds: 180 }],
  rule: { compare: { left: { binding: 'price', field: '/priceUsd' }, op, right: { value } } },
});

describe('when a price is passed', () => {
  const sentence = 'when NEAR drops below $2 swap 10 USDC to NEAR';

  it('asks for the price, then for the wallet, then for a rule with a contract', () => {
    expect(asked(sentence)).toEqual(calls('token_price', { symbol: 'NEAR' }));
    expect(asked(sentence, [priced])).toEqual(calls('wallet_balances', {}));
    const definition = defined(asked(sentence, [priced, held]));
    const bounds = { maxUses: 10, perUseUsd: '12.5', totalUsd: '125', notAfter: '2027-03-01T10:00:00.000Z' };
    expect(definition).toEqual({
      name: sentence,
      prompt: 'swap 10 USDC to NEAR',
      conversation: 'new',
      wake: { kind: 'schedule', schedule: { kind: 'every', seconds: 60 } },
      condition: onPrice('lt', '2'),
      firing: { trigger: 'edge', cooldownSeconds: 0, overlap: 'skip', retryForSeconds: 900 },
      contract: { type: 'ledger_intents_transfer', actions: [swap], bounds },
    });
    expect(read(AutomationContractShape, definition.contract)).toMatchObject({ ok: true });
  });

  it('makes of its task, later, exactly the call that the contract covers', () => {
    const contract = { type: 'ledger_intents_transfer', actions: [swap] };
    expect(asked('swap 10 USDC to NEAR', [held])).toEqual(calls('intents_transfer', { contract }));
  });

  it.each([
    ['  WHEN  near   RISES above $3.50,  swap 10 usdc to near!', 'gt', '3.5'],
    ['if the price of NEAR falls under 1.9 dollars then withdraw 1 USDC', 'lt', '1.9'],
    ['whenever NEAR is over 4 tell me the price of NEAR', 'gt', '4'],
  ])('%s', (input, op, value) => {
    const symbol = /near/.exec(input) === null ? 'NEAR' : 'near';
    const seen = told('token_price', { ...near, asOf }, 'ok', { symbol });
    expect(defined(asked(input, [seen, held]))).toMatchObject({ condition: onPrice(op, value) });
  });

  it.each([
    ['sell at the price that is waited for', 'when NEAR rises above $5 swap 2 NEAR to USDC', '12.5'],
    ['at the present price, where that is more', 'when NEAR drops below $2 swap 2 NEAR to USDC', '6.25'],
    ['a value', 'when NEAR drops below $2 swap $20 of USDC to NEAR', '25'],
    ['all that is held now', 'when NEAR drops below $2 withdraw all USDC', '312.5'],
    ['a part of it', 'when NEAR drops below $2 withdraw 10% of NEAR', '12.5'],
  ])('bounds %s', (_, input, perUseUsd) => {
    expect(defined(asked(input, [priced, held])).contract?.bounds).toMatchObject({ perUseUsd });
  });

  it('leaves out a contract whose worth is not known', () => {
    const unpriced = told('wallet_balances', { assets: [{ ...usdc, priceUsdDecimal: null }, near], asOf });
    expect(defined(asked(sentence, [priced, unpriced]))).not.toHaveProperty('contract');
    expect(defined(asked('when NEAR drops below $2 what is my balance', [priced]))).not.toHaveProperty('contract');
    const two = 'when NEAR drops below $2 withdraw 1 USDC and withdraw 1 NEAR';
    expect(defined(asked(two, [priced, held]))).not.toHaveProperty('contract');
  });

  it.each([
    [
      'when DOGE drops below $2 swap 10 USDC to NEAR',
      told('token_price', { error: 'no' }, 'error', { symbol: 'DOGE' }),
      'DOGE',
    ],
    ['when NEAR drops below $2 swap 10 DOGE to NEAR', held, 'holds no DOGE'],
    ['when NEAR drops below $2 swap 1.0000001 USDC to NEAR', held, 'cannot be expressed'],
  ])('%s is refused in words', (input, exchange, words) => {
    expect(asked(input, [priced, exchange])).toEqual(text(words));
  });

  it.each([
    ['ok', { automationId: 'a', revision: '1.x', contractApprovalId: 'b' }, 'asked apart'],
    ['ok', { automationId: 'a', revision: '1.x', contractApprovalId: null }, 'is set up'],
    ['denied', { reason: null }, 'denied'],
    ['expired', { reason: null }, 'ended before'],
    ['error', { error: 'the definition cannot run' }, 'cannot run'],
  ] as const)('ends with what came of it: %s', (outcome, result, words) => {
    expect(asked(sentence, [priced, held, told('automation_create', result, outcome)])).toEqual(text(words));
  });
});

describe('on a schedule', () => {
  it.each([
    ['every day at 09:00 Europe/Berlin tell me the price of NEAR', '0 9 * * *', 'Europe/Berlin', 'price of NEAR'],
    ['Every  Monday at 7:05 in america/new_york show me my balance', '5 7 * * 1', 'America/New_York', 'my balance'],
    ['every weekday at 23:59, what time is it', '59 23 * * 1-5', 'UTC', 'what time is it'],
    ['every sunday at 0:00 UTC repeat after me: hello', '0 0 * * 0', 'UTC', 'repeat after me: hello'],
  ])('%s', (input, expression, timezone, prompt) => {
    expect(defined(asked(input))).toMatchObject({
      prompt,
      condition: null,
      firing: { trigger: 'match' },
      wake: { kind: 'schedule', schedule: { kind: 'cron', expression, timezone } },
    });
  });

  it.each([
    ['every hour price of NEAR', 3_600],
    ['every 15 minutes tell me the price of NEAR', 900],
    ['every 2 days what is my balance', 172_800],
  ])('%s', (input, seconds) => {
    const schedule = { kind: 'every', seconds };
    expect(defined(asked(input))).toMatchObject({ wake: { kind: 'schedule', schedule } });
  });

  it('swaps by a contract too', () => {
    expect(defined(asked('every day at 9:00 swap 10 USDC to NEAR', [held])).contract).toMatchObject({
      actions: [swap],
    });
  });
});

it('lists', () => {
  expect(asked('list my automations')).toEqual(calls('automation_list', {}));
  const automations = [{ name: 'Buy low', state: 'enabled' }];
  expect(asked('My automations?', [told('automation_list', { automations })])).toEqual(text('- Buy low (enabled)'));
  expect(asked('my automations', [told('automation_list', { automations: [] })])).toEqual(text('no automations'));
  expect(asked('my automations', [told('automation_list', { error: 'no' }, 'error')])).toEqual(text('could not read'));
});

it('calls no tool that the run may not use', () => {
  expect(asked('every hour price of NEAR', [], ['token_price'])).toEqual(
    text('may not use the tool automation_create'),
  );
});

it.each([
  'every day at 24:00 price of NEAR',
  'every day at 09:60 price of NEAR',
  'every day at 09:00 dance',
  'every day at 09:00 every hour price of NEAR',
  'when NEAR drops below $02 price of NEAR',
  'when NEAR drops below two swap 10 USDC to NEAR',
  'when NEAR drops below $2 dance',
])('does not guess: %s', (input) => expect(asked(input, [priced, held])).toEqual(text('none of them fits')));

it('takes no time over a hostile text', () => {
  const spentMs = cpuMsOf(() => {
    for (const input of [
      'every day at 09:00 '.repeat(1_700),
      `when ${'x'.repeat(32_000)} drops`,
      `every ${'1'.repeat(32_000)}`,
    ])
      expect(asked(input)).toHaveProperty('text');
  });
  expect(spentMs).toBeLessThan(1_000);
});
