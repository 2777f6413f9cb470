import type { JsonValue } from '@app/kernel';
import { modelRequest } from '@app/testing/runs';
import type { ToolExchange } from '@app/engine';
import { read } from '@app/schema';
import { ContractShape } from '@app/wallets';
import { answerByRules } from './rules';
import { cpuMsOf } from '@app/testing/processes';

const usdc = {
  tokenId: 'nep141:usdc.near',
  symbol: 'USDC',
  decimals: 6,
  amountRaw: '250000000',
  valueUsdCents: '25000',
};
const near = { tokenId: 'nep141:wrap.near', symbol: 'wNEAR', decimals: 24, amountRaw: `40${'0'.repeat(24)}` };
const odd = { tokenId: 'nep245:odd', symbol: 'ODD', decimals: null, amountRaw: '7', valueUsdCents: null };
const eth = { tokenId: 'nep141:eth.omft.near', symbol: 'ETH', decimals: 18, priceUsdDecimal: '3000.5' };

const tools = ['wallet_balances', 'token_price', 'intents_transfer'];
const told = (tool: string, result: JsonValue, outcome: ToolExchange['outcome'] = 'ok', input: JsonValue = {}) => ({
  tool,
  input,
  outcome,
  result,
});
const held = told('wallet_balances', { assets: [usdc, { ...near, valueUsdCents: null }, odd], asOf: 'now' });
const asked = (input: string, exchanges: readonly Omit<ToolExchange, 'toolCallId'>[] = [], offered = tools) =>
  answerByRules(modelRequest(input, exchanges, offered));

const pinned = ({ tokenId, decimals }: { tokenId: string; decimals: number }) => ({ pinned: { tokenId, decimals } });
const proposing = (action: object) => {
  const contract = { type: 'ledger_intents_transfer', actions: [action] };
  expect(read(ContractShape, contract)).toMatchObject({ ok: true });
  return { calls: [{ tool: 'intents_transfer', input: { contract } }] };
};
const text = (containing: string) => ({ text: expect.stringContaining(containing) as string });

it.each(['what is my balance', 'What is  MY balance?', 'show my wallet balance', 'balance'])(
  'reads the wallet: %s',
  (input) => {
    expect(asked(input)).toEqual({ calls: [{ tool: 'wallet_balances', input: {} }] });
    const words = ['250 USDC, worth $250', '40 wNEAR', '7 of the smallest unit of ODD'];
    for (const word of words) expect(asked(input, [held])).toEqual(text(word));
  },
);

it.each([
  ['price of NEAR', { symbol: 'NEAR' }],
  ['what is the price of eth?', { symbol: 'eth' }],
  ['price of nep141:wrap.near', { tokenId: 'nep141:wrap.near' }],
])('asks for a price: %s', (input, by) => {
  expect(asked(input)).toEqual({ calls: [{ tool: 'token_price', input: by }] });
  expect(asked(input, [told('token_price', eth)])).toEqual({ text: 'ETH is at $3000.5.' });
  expect(asked(input, [told('token_price', { ...eth, priceUsdDecimal: null })])).toEqual(text('no price'));
  expect(asked(input, [told('token_price', { error: 'the token is not known' }, 'error')])).toEqual(text('not known'));
  expect(asked(input, [told('token_price', { candidates: [eth, near] })])).toEqual(
    text(`${eth.tokenId}, ${near.tokenId}`),
  );
});

describe('a withdrawal', () => {
  it.each([
    ['withdraw 1.5 USDC', usdc, { kind: 'exact_input_tokens', amountRaw: '1500000' }],
    ['Withdraw   all usdc!', usdc, { kind: 'all_of_input' }],
    ['withdraw 25% of NEAR', near, { kind: 'fraction_of_input', bps: '2500' }],
    ['withdraw 0.01% of wNEAR', near, { kind: 'fraction_of_input', bps: '1' }],
    ['withdraw $20.50 of USDC', usdc, { kind: 'exact_input_value_usd', value: '20.5' }],
  ])('%s becomes one contract', (input, token, quantity) => {
    expect(asked(input)).toEqual({ calls: [{ tool: 'wallet_balances', input: {} }] });
    expect(asked(input, [held])).toEqual(proposing({ kind: 'withdraw_to_owner', input: pinned(token), quantity }));
  });

  it.each([
    ['withdraw 1 DOGE', 'holds no DOGE'],
    ['withdraw 1.1234567 USDC', 'cannot be expressed'],
    ['withdraw 0 USDC', 'cannot be expressed'],
    ['withdraw 0% of USDC', 'cannot be expressed'],
    ['withdraw 101% of USDC', 'cannot be expressed'],
    ['withdraw 0.001% of USDC', 'cannot be expressed'],
    ['withdraw all ODD', 'cannot be expressed'],
  ])('%s is refused in words, and nothing is called', (input, words) =>
    expect(asked(input, [held])).toEqual(text(words)),
  );

  it.each([
    ['ok', { operationId: 'x' }, 'on its way'],
    ['denied', { reason: null }, 'denied'],
    ['expired', { reason: null }, 'ended before'],
    ['error', { error: 'no balance' }, 'no balance'],
  ] as const)('ends with what came of it: %s', (outcome, result, words) => {
    expect(asked('withdraw 1 USDC', [held, told('intents_transfer', result, outcome)])).toEqual(text(words));
  });
});

describe('a swap', () => {
  const input = pinned(usdc);

  it('knows the output from the wallet, or asks for it', () => {
    const quantity = { kind: 'exact_input_tokens', amountRaw: '5000000' };
    const toNear = proposing({ kind: 'swap', input, output: pinned(near), quantity });
    expect(asked('swap 5 USDC to NEAR', [held])).toEqual(toNear);
    const call = { tool: 'token_price', input: { symbol: 'ETH' } };
    expect(asked('swap 5 USDC to ETH', [held])).toEqual({ calls: [call] });
    const price = told('token_price', eth, 'ok', { symbol: 'ETH' });
    const toEth = proposing({ kind: 'swap', input, output: pinned(eth), quantity });
    expect(asked('swap 5 USDC to ETH', [held, price])).toEqual(toEth);
    const unknown = told('token_price', { error: 'not known' }, 'error', { symbol: 'ETH' });
    expect(asked('swap 5 USDC to ETH', [held, unknown])).toEqual(text('know no token ETH'));
  });

  it('guesses no token by a symbol that several bear', () => {
    const another = { ...eth, tokenId: 'nep141:aurora' };
    const several = told('token_price', { candidates: [eth, another] }, 'ok', { symbol: 'ETH' });
    expect(asked('swap 5 USDC to ETH', [held, several])).toEqual(text('so name one by its id'));
    const holding = told('wallet_balances', { assets: [usdc, { ...usdc, tokenId: 'nep141:base.omft.near' }] });
    expect(asked('swap 5 USDC to NEAR', [holding])).toEqual(text('Several tokens are called USDC'));
    expect(asked('withdraw 1 USDC', [holding])).toEqual(text('Nothing was moved.'));
  });

  it('takes a value in dollars', () => {
    const quantity = { kind: 'exact_input_value_usd', value: '20' };
    expect(asked('swap $20 of USDC to NEAR', [held])).toEqual(
      proposing({ kind: 'swap', input, output: pinned(near), quantity }),
    );
  });

  it('and then a withdrawal are two calls, one after the other', () => {
    const sentence = 'swap 5 USDC to NEAR and then withdraw 1 USDC';
    const first = asked(sentence, [held]);
    expect(first).toMatchObject({ calls: [{ input: { contract: { actions: [{ kind: 'swap' }] } } }] });
    const done = told('intents_transfer', { operationId: 'x' });
    const quantity = { kind: 'exact_input_tokens', amountRaw: '1000000' };
    expect(asked(sentence, [held, done])).toEqual(proposing({ kind: 'withdraw_to_owner', input, quantity }));
    expect(asked(sentence, [held, done, done])).toEqual(text('All 2 transfers'));
    expect(asked(sentence, [held, told('intents_transfer', {}, 'denied')])).toEqual(text('denied'));
  });
});

describe('several at once', () => {
  const one = {
    kind: 'withdraw_to_owner',
    input: pinned(usdc),
    quantity: { kind: 'exact_input_tokens', amountRaw: '1000000' },
  };
  const all = { kind: 'withdraw_to_owner', input: pinned(near), quantity: { kind: 'all_of_input' } };
  const sentence = 'withdraw 1 USDC and withdraw all NEAR and then withdraw 1 USDC';
  const done = told('intents_transfer', { operationId: 'x' });

  it('are calls side by side', () => {
    const calls = [...proposing(one).calls, ...proposing(all).calls];
    expect(asked(sentence, [held])).toEqual({ calls });
    expect(asked(sentence, [held, done, done])).toEqual(proposing(one));
    expect(asked(sentence, [held, done, done, done])).toEqual(text('All 3 transfers'));
    expect(asked(sentence, [held, told('intents_transfer', {}, 'denied'), done])).toEqual(text('denied'));
  });

  it('are asked about, or refused, before any is made', () => {
    const calls = [{ tool: 'token_price', input: { symbol: 'ETH' } }];
    expect(asked('withdraw 1 USDC and swap 1 USDC to ETH', [held])).toEqual({ calls });
    expect(asked('withdraw 1 USDC and withdraw 1 DOGE', [held])).toEqual(text('holds no DOGE'));
  });
});

it('calls no tool that the run may not use', () => {
  for (const input of ['balance', 'price of NEAR', 'withdraw 1 USDC'])
    expect(asked(input, [], [])).toEqual(text('may not use'));
  expect(asked('withdraw 1 USDC', [held], ['wallet_balances'])).toEqual(text('may not use the tool intents_transfer'));
});

it.each([
  'withdraw',
  'withdraw USDC',
  'withdraw -1 USDC',
  'withdraw 1e3 USDC',
  'swap 1 USDC',
  'withdraw 1 USDC and then dance',
])('does not guess: %s', (input) => expect(asked(input, [held])).toEqual(text('none of them fits')));

it('takes no time over a hostile text', () => {
  const spentMs = cpuMsOf(() => {
    for (const input of [`withdraw ${'1'.repeat(32_000)} USDC`, 'swap 1 '.repeat(4_000), 'x and then '.repeat(3_000)]) {
      expect(asked(input, [held])).toHaveProperty('text');
    }
  });
  expect(spentMs).toBeLessThan(1_000);
});
