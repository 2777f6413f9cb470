import type { Quantity, SwapAction, TokenChoice, WithdrawAction } from './contract';
import { chooseInput, chooseOutput, inputAmount, type SpendableToken } from './quantities';

const usdc: SpendableToken = { tokenId: 'nep141:usdc', decimals: 6, amountRaw: '250000000', priceUsdDecimal: '1' };
const near: SpendableToken = {
  tokenId: 'nep141:near',
  decimals: 24,
  amountRaw: `40${'0'.repeat(24)}`,
  priceUsdDecimal: '3',
};
const eth: SpendableToken = {
  tokenId: 'nep141:eth',
  decimals: 18,
  amountRaw: `5${'0'.repeat(16)}`,
  priceUsdDecimal: '2600',
};
const odd: SpendableToken = { tokenId: 'nep245:odd', decimals: null, amountRaw: '7', priceUsdDecimal: null };
const wallet = [usdc, odd, eth, near];

const amount = (amountRaw: string) => ({ ok: true, amountRaw });
const none = (why: string) => ({ ok: false, why });
const usd = (value: string): Quantity => ({ kind: 'exact_input_value_usd', value });
const fraction = (bps: string): Quantity => ({ kind: 'fraction_of_input', bps });
const tokens = (amountRaw: string): Quantity => ({ kind: 'exact_input_tokens', amountRaw });

describe('inputAmount', () => {
  it('of an explicit amount is that amount, if it is held', () => {
    expect(inputAmount(tokens('250000000'), usdc)).toEqual(amount('250000000'));
    expect(inputAmount(tokens('250000001'), usdc)).toEqual(none('more_than_held'));
    expect(inputAmount(tokens('7'), odd)).toEqual(amount('7'));
  });
  it('of all is what is held', () => {
    expect(inputAmount({ kind: 'all_of_input' }, odd)).toEqual(amount('7'));
    expect(inputAmount({ kind: 'all_of_input' }, { ...usdc, amountRaw: '0' })).toEqual(none('nothing'));
  });
  it('of a fraction is rounded down', () => {
    expect(inputAmount(fraction('5000'), odd)).toEqual(amount('3'));
    expect(inputAmount(fraction('10000'), odd)).toEqual(amount('7'));
    expect(inputAmount(fraction('1'), odd)).toEqual(none('nothing'));
  });
  it('of a USD value is rounded down by the price', () => {
    expect(inputAmount(usd('20'), usdc)).toEqual(amount('20000000'));
    expect(inputAmount(usd('20'), { ...usdc, priceUsdDecimal: '0.9999' })).toEqual(amount('20002000'));
    expect(inputAmount(usd('1'), near)).toEqual(amount('3'.repeat(24)));
    expect(inputAmount(usd('250.000001'), usdc)).toEqual(none('more_than_held'));
    expect(inputAmount(usd('250.0000009'), usdc)).toEqual(amount('250000000'));
    expect(inputAmount(usd('0.0000009'), usdc)).toEqual(none('nothing'));
  });
  it('of a USD value needs a price and decimals', () => {
    for (const priceUsdDecimal of [null, '0', '0.00', 'free'])
      expect(inputAmount(usd('1'), { ...usdc, priceUsdDecimal })).toEqual(none('no_price'));
    expect(inputAmount(usd('1'), odd)).toEqual(none('no_price'));
    expect(inputAmount(usd('1'), { ...odd, priceUsdDecimal: '1' })).toEqual(none('no_decimals'));
    expect(() => inputAmount(usd('1.'), usdc)).toThrow(RangeError);
  });
  it('of an exact output is the most that may be spent', () =>
    expect(inputAmount({ kind: 'exact_output_tokens', amountRaw: '1' }, usdc)).toEqual(amount('250000000')));
});

const pinned = ({ tokenId, decimals }: SpendableToken): TokenChoice => ({
  pinned: { tokenId, decimals: decimals ?? 0 },
});
const any: TokenChoice = { any: true };
const swap = (input: TokenChoice, output: TokenChoice, quantity: Quantity): SwapAction => ({
  kind: 'swap',
  input,
  output,
  quantity,
});
const withdraw = (input: TokenChoice, quantity: WithdrawAction['quantity']): WithdrawAction => ({
  kind: 'withdraw_to_owner',
  input,
  quantity,
});
const allOf = { kind: 'all_of_input' } as const;

describe('chooseInput', () => {
  it('takes the pinned token', () => {
    const action = withdraw(pinned(near), { kind: 'exact_input_tokens', amountRaw: '5' });
    expect(chooseInput(action, wallet)).toEqual({ ok: true, holding: near, amountRaw: '5' });
    expect(chooseInput(action, [usdc])).toEqual(none('not_held'));
    expect(chooseInput(action, [{ ...near, amountRaw: '4' }])).toEqual(none('more_than_held'));
  });
  it('takes no token whose decimals are not those reviewed', () => {
    for (const decimals of [6, null])
      expect(chooseInput(withdraw(pinned(near), allOf), [{ ...near, decimals }])).toEqual(none('other_decimals'));
  });
  it('takes the richest of any', () =>
    expect(chooseInput(withdraw(any, allOf), wallet)).toEqual({ ok: true, holding: usdc, amountRaw: '250000000' }));
  it('takes the richest that covers the quantity', () => {
    const unpriced = { ...usdc, tokenId: 'nep141:a', priceUsdDecimal: null };
    expect(chooseInput(swap(any, any, usd('130')), [unpriced, near, eth])).toEqual({
      ok: true,
      holding: eth,
      amountRaw: `5${'0'.repeat(16)}`,
    });
    expect(chooseInput(swap(any, any, usd('131')), [unpriced, near, eth])).toEqual(none('more_than_held'));
    expect(chooseInput(swap(any, any, usd('1')), [unpriced])).toEqual(none('no_price'));
  });
  it('takes the first by tokenId of two as rich', () => {
    const twin = { ...usdc, tokenId: 'nep141:tusd' };
    expect(chooseInput(withdraw(any, allOf), [usdc, twin])).toMatchObject({ holding: twin });
  });
  it('takes no token that is the output', () =>
    expect(chooseInput(swap(any, pinned(usdc), allOf), wallet)).toMatchObject({ holding: eth }));
  it('takes none that a contract cannot express', () => {
    const rich = { ...odd, priceUsdDecimal: '1000000', decimals: 0 };
    expect(chooseInput(withdraw(any, allOf), [rich, near])).toMatchObject({ holding: near });
    for (const decimals of [39, null])
      expect(chooseInput(withdraw(any, allOf), [{ ...near, decimals }])).toEqual(none('not_held'));
    expect(chooseInput(withdraw(any, allOf), [{ ...near, amountRaw: '9'.repeat(40) }])).toEqual(none('not_held'));
    expect(chooseInput(withdraw(any, allOf), [])).toEqual(none('not_held'));
  });
  it('says of an exact output what may be spent at most', () => {
    const quantity = { kind: 'exact_output_tokens', amountRaw: '1' } as const;
    expect(chooseInput(swap(any, pinned(usdc), quantity), wallet)).toMatchObject({
      holding: eth,
      amountRaw: eth.amountRaw,
    });
  });
});

describe('chooseOutput', () => {
  it('is the pinned token, held or not', () =>
    expect(chooseOutput(swap(any, pinned(near), allOf), usdc.tokenId, [])).toEqual({
      tokenId: near.tokenId,
      decimals: 24,
    }));
  it('is the richest that is not the input', () => {
    const action = swap(any, any, allOf);
    expect(chooseOutput(action, usdc.tokenId, wallet)).toEqual({ tokenId: eth.tokenId, decimals: 18 });
    expect(chooseOutput(action, eth.tokenId, wallet)).toEqual({ tokenId: usdc.tokenId, decimals: 6 });
    expect(chooseOutput(action, usdc.tokenId, [usdc, odd])).toBeNull();
  });
});
