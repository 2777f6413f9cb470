import type { ContractAction, Quantity } from '@app/consent';
import { contractWorthUsd, type PricedToken } from './contract-worth';

const usdc: PricedToken = { tokenId: 'nep141:usdc', decimals: 6, priceUsdDecimal: '1.0', amountRaw: '250000000' };
const near: PricedToken = {
  tokenId: 'nep141:near',
  decimals: 24,
  priceUsdDecimal: '2.5',
  amountRaw: `4${'0'.repeat(25)}`,
};
const eth: PricedToken = { tokenId: 'nep141:eth', decimals: 18, priceUsdDecimal: '3000', amountRaw: '0' };
const odd: PricedToken = { tokenId: 'nep245:odd', decimals: null, priceUsdDecimal: null, amountRaw: '1000' };
const wallet = [usdc, near, eth, odd];

const pinned = ({ tokenId, decimals }: PricedToken) => ({ pinned: { tokenId, decimals: decimals ?? 0 } });
const any = { any: true } as const;
const tokens = (amountRaw: string): Quantity => ({ kind: 'exact_input_tokens', amountRaw });
const swap = (quantity: Quantity, input: ContractAction['input'] = pinned(usdc), output = pinned(near)) =>
  ({ kind: 'swap', input, output, quantity }) as const;
const withdraw = (quantity: Quantity, input: ContractAction['input'] = pinned(near)): ContractAction =>
  // Reason for the assertion: only swaps get `exact_output_tokens` here.
  ({ kind: 'withdraw_to_owner', input, quantity }) as ContractAction;

describe('what a contract spends at most', () => {
  it.each<[string, ContractAction, string | null]>([
    ['an explicit amount', swap(tokens('10000000')), '10'],
    ['more than is held, which will fail', swap(tokens('9990000000')), '9990'],
    ['of a token that is not held', swap(tokens('1000000000000000000'), pinned(eth)), '3000'],
    ['a value', swap({ kind: 'exact_input_value_usd', value: '20.5' }), '20.5'],
    ['a value of what is not held', withdraw({ kind: 'exact_input_value_usd', value: '1' }, pinned(eth)), '1'],
    ['all', withdraw({ kind: 'all_of_input' }), '100'],
    ['a fraction', withdraw({ kind: 'fraction_of_input', bps: '2500' }), '25'],
    ['an output: all that may be spent for it', swap({ kind: 'exact_output_tokens', amountRaw: '1' }), '250'],
    ['whatever is richest', withdraw({ kind: 'all_of_input' }, any), '250'],
    ['the richest that is not the output', swap({ kind: 'all_of_input' }, any, pinned(usdc)), '100'],
    ['a value of whatever covers it', withdraw({ kind: 'exact_input_value_usd', value: '120' }, any), '120'],
    ['all of what is not held', withdraw({ kind: 'all_of_input' }, pinned(eth)), null],
    ['a value that nothing covers', withdraw({ kind: 'exact_input_value_usd', value: '251' }, any), null],
    [
      'other decimals than the wallet knows',
      swap(tokens('1'), { pinned: { tokenId: usdc.tokenId, decimals: 7 } }),
      null,
    ],
    ['an unknown token', swap(tokens('1'), { pinned: { tokenId: 'nep141:none', decimals: 6 } }), null],
  ])('%s', (_, action, usd) => expect(contractWorthUsd([action], wallet)).toBe(usd));

  it.each([null, '0', '0.000'])('is not known without a price: %j', (priceUsdDecimal) => {
    const unpriced = wallet.map((token) => ({ ...token, priceUsdDecimal }));
    for (const action of [
      swap(tokens('1')),
      swap({ kind: 'exact_input_value_usd', value: '1' }),
      withdraw({ kind: 'all_of_input' }),
    ])
      expect(contractWorthUsd([action], unpriced)).toBeNull();
  });

  it('is rounded up to what a bound can say', () => {
    const precise = { ...usdc, priceUsdDecimal: `0.${'0'.repeat(20)}1` };
    expect(contractWorthUsd([swap(tokens('1'))], [precise])).toBe('0.000000000000000001');
    expect(contractWorthUsd([swap(tokens('1'))], [{ ...usdc, priceUsdDecimal: '1.000000000001' }])).toBe(
      '0.000001000000000001',
    );
  });

  it('counts every action, and what an earlier one delivers to a later one', () => {
    // 10 dollars buy 4 NEAR (plus one unit, because the quotient is rounded up): 44 NEAR are withdrawn.
    const actions = [swap(tokens('10000000')), withdraw({ kind: 'all_of_input' })];
    expect(contractWorthUsd(actions, wallet)).toBe('120.000000000000000001');
    expect(contractWorthUsd([swap(tokens('10000000')), swap(tokens('5000000'))], wallet)).toBe('15');
    const bought = swap({ kind: 'exact_output_tokens', amountRaw: '1000000000000000000' }, pinned(usdc), pinned(eth));
    expect(contractWorthUsd([bought, withdraw({ kind: 'all_of_input' }, pinned(eth))], wallet)).toBe('3250');
    const unpriced = wallet.map((token) => (token === near ? { ...token, priceUsdDecimal: null } : token));
    expect(contractWorthUsd(actions, unpriced)).toBeNull();
  });
});
