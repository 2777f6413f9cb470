import type { ContractAction, Quantity } from '@app/consent';
import { at, expiresAt } from '../../../test/operation-facts';
import { chooseOrder, isAsOrdered, losesTooMuch } from './operation-order';
import type { Submission } from '../../provider/submission';
import type { Holding, Order, Token } from '../../provider/wallet-provider';

const holding = (tokenId: string, amountRaw: string, priceUsdDecimal: string | null = '1'): Holding => ({
  tokenId,
  symbol: tokenId,
  name: tokenId,
  decimals: 6,
  iconUrl: null,
  amountRaw,
  priceUsdDecimal,
});
const dollars = holding('nep141:usdc', '5000000');
const nears = holding('nep141:near', '2000000', '4');
const pinned = (tokenId: string, decimals = 6) => ({ pinned: { tokenId, decimals } });
type Spending = Exclude<Quantity, { readonly kind: 'exact_output_tokens' }>;
const exactly = (amountRaw: string): Spending => ({ kind: 'exact_input_tokens', amountRaw });
const all: Spending = { kind: 'all_of_input' };
const withdraw = (quantity: Spending, input: ContractAction['input'] = pinned(dollars.tokenId)): ContractAction => ({
  kind: 'withdraw_to_owner',
  input,
  quantity,
});
const swap = (quantity: Quantity, output: ContractAction['input']): ContractAction => ({
  kind: 'swap',
  input: pinned(dollars.tokenId),
  output,
  quantity,
});
const choose = (action: ContractAction, holdings = [dollars, nears]) => chooseOrder(action, holdings, 'ada.near');

describe('an order', () => {
  it('to withdraw goes to the main account of the terms', () =>
    expect(choose(withdraw(exactly('1500000')))).toMatchObject({
      ok: true,
      order: {
        kind: 'withdraw',
        mainAccountId: 'ada.near',
        input: { tokenId: dollars.tokenId, amountRaw: '1500000' },
      },
      output: null,
    }));
  it('takes the richest of any', () =>
    expect(choose(withdraw(all, { any: true }))).toMatchObject({
      order: { input: { tokenId: nears.tokenId, amountRaw: '2000000' } },
    }));
  it('to swap names what is delivered, by the decimals to be checked', () =>
    expect(choose(swap(exactly('1'), pinned('nep141:eth', 18)))).toMatchObject({
      ok: true,
      order: {
        kind: 'swap_exact_input',
        outputTokenId: 'nep141:eth',
        input: { tokenId: dollars.tokenId, amountRaw: '1' },
      },
      output: { tokenId: 'nep141:eth', decimals: 18 },
    }));
  it('to swap to any takes the richest other', () =>
    expect(choose(swap(all, { any: true }))).toMatchObject({ order: { outputTokenId: nears.tokenId } }));
  it('of an exact output may spend what can be spent', () =>
    expect(choose(swap({ kind: 'exact_output_tokens', amountRaw: '7' }, pinned(nears.tokenId)))).toMatchObject({
      order: {
        kind: 'swap_exact_output',
        inputTokenId: dollars.tokenId,
        inputMaxRaw: '5000000',
        output: { tokenId: nears.tokenId, amountRaw: '7' },
      },
    }));
});

describe('no order', () => {
  const value: Spending = { kind: 'exact_input_value_usd', value: '1.5' };
  const lacks = 'insufficient_balance';
  const refused = 'provider_rejected';
  it.each<[string, ContractAction, Holding[], string]>([
    ['more than is held', withdraw(exactly('5000001')), [dollars], lacks],
    ['what is not held', withdraw(all), [nears], lacks],
    [
      'nothing after rounding',
      withdraw({ kind: 'fraction_of_input', bps: '1' }),
      [holding(dollars.tokenId, '9')],
      lacks,
    ],
    ['nothing to swap to', swap(all, { any: true }), [dollars], lacks],
    ['a value without a price', withdraw(value), [holding(dollars.tokenId, '5000000', null)], refused],
    ['other decimals than agreed', withdraw(all, pinned(dollars.tokenId, 18)), [dollars], refused],
  ])('for %s', (_, action, holdings, reason) =>
    expect(choose(action, holdings)).toMatchObject({ ok: false, failure: { reason } }),
  );
});

describe('a submission', () => {
  const input = { tokenId: 'a', amountRaw: '100' };
  const output = { tokenId: 'b', amountRaw: '70' };
  const submission: Submission = {
    key: 'op/0/1',
    attempt: 1,
    bytes: '',
    input,
    output,
    leastOutput: output,
    quote: null,
    deadline: expiresAt,
  };
  const ordered = (order: Order['order']) => ({ key: 'op/0/1', attempt: 1, order, latestDeadline: expiresAt });
  const withdrawal = ordered({ kind: 'withdraw', input, mainAccountId: 'ada.near' });
  const exactInput = ordered({ kind: 'swap_exact_input', input, outputTokenId: 'b' });
  const exactOutput = ordered({ kind: 'swap_exact_output', inputTokenId: 'a', inputMaxRaw: '100', output });

  it.each([withdrawal, exactInput, exactOutput])('does what was ordered: $order.kind', (order) =>
    expect(isAsOrdered(submission, order)).toBe(true),
  );
  it('may expire earlier, spend less and deliver more', () => {
    expect(isAsOrdered({ ...submission, deadline: at }, withdrawal)).toBe(true);
    expect(isAsOrdered({ ...submission, input: { ...input, amountRaw: '99' } }, exactOutput)).toBe(true);
    expect(isAsOrdered({ ...submission, output: { ...output, amountRaw: '71' } }, exactOutput)).toBe(true);
    const less = { ...output, amountRaw: '69' };
    expect(isAsOrdered({ ...submission, leastOutput: less }, exactInput)).toBe(true);
  });
  it.each<[string, Partial<Submission>, Omit<Order, 'wallet'>]>([
    ['another key', { key: 'op/0/2' }, withdrawal],
    ['another attempt', { attempt: 2 }, withdrawal],
    ['a later deadline', { deadline: expiresAt }, { ...withdrawal, latestDeadline: at }],
    ['another token', { input: { ...input, tokenId: 'c' } }, withdrawal],
    ['another amount', { input: { ...input, amountRaw: '99' } }, withdrawal],
    ['another amount', { input: { ...input, amountRaw: '101' } }, exactInput],
    ['another output', { output: { ...output, tokenId: 'c' } }, exactInput],
    ['no output', { output: null }, exactInput],
    ['another input', { input: { ...input, tokenId: 'c' } }, exactOutput],
    ['more than the most', { input: { ...input, amountRaw: '101' } }, exactOutput],
    ['less than the exact output at the least', { leastOutput: { ...output, amountRaw: '69' } }, exactOutput],
    ['more at the least than is expected', { leastOutput: { ...output, amountRaw: '71' } }, exactInput],
    ['another output at the least', { leastOutput: { ...output, tokenId: 'c' } }, exactInput],
    ['less than the exact output', { output: { ...output, amountRaw: '69' } }, exactOutput],
    ['another exact output', { output: { ...output, tokenId: 'c' } }, exactOutput],
    ['no exact output', { output: null }, exactOutput],
  ])('with %s is refused', (_, change, order) => expect(isAsOrdered({ ...submission, ...change }, order)).toBe(false));
});

describe('a swap', () => {
  const token = (tokenId: string, decimals: number, priceUsdDecimal: string | null): Token => ({
    tokenId,
    symbol: tokenId,
    name: tokenId,
    decimals,
    priceUsdDecimal,
    iconUrl: null,
  });
  const tokens = [token('a', 6, '1'), token('b', 24, '2.5')];
  /** A swap of ten dollars' worth of a for at least `least` of b. */
  const swap = (least: string): Submission => ({
    key: 'op/0/1',
    attempt: 1,
    bytes: '',
    quote: null,
    deadline: expiresAt,
    input: { tokenId: 'a', amountRaw: '10000000' },
    output: { tokenId: 'b', amountRaw: '4000000000000000000000000' },
    leastOutput: { tokenId: 'b', amountRaw: least },
  });

  it('may cost a tenth of its worth, and no more', () => {
    expect(losesTooMuch(swap('3600000000000000000000000'), tokens)).toBe(false);
    expect(losesTooMuch(swap('3599999999999999999999999'), tokens)).toBe(true);
    expect(losesTooMuch({ ...swap('1'), leastOutput: null }, tokens)).toBe(false);
  });
  it('is not judged where a price, or a token, is not known', () => {
    expect(losesTooMuch(swap('1'), [token('a', 6, '1'), token('b', 24, null)])).toBe(false);
    expect(losesTooMuch(swap('1'), [token('a', 6, '1')])).toBe(false);
    expect(losesTooMuch({ ...swap('1'), output: null, leastOutput: null }, tokens)).toBe(false);
  });
});
