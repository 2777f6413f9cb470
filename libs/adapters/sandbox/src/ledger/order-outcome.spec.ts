import fc from 'fast-check';
import { transfersAtSettlement, type OrderTarget, type Outcome } from './order-outcome';

const positive = fc.bigInt(1n, 10n ** 39n).map(String);
const targets: fc.Arbitrary<OrderTarget> = fc.oneof(
  fc.constant({ kind: 'withdraw', mainAccountId: 'owner' } as const),
  positive.map((amountRaw) => ({ kind: 'swap', output: { tokenId: 'out', amountRaw } }) as const),
);
const outcomes = fc.constantFrom<Outcome>('deliver', 'refund', 'partial');
const settled = (amountRaw: string, target: OrderTarget, outcome: Outcome) =>
  transfersAtSettlement({ key: 'k', address: 'a', input: { tokenId: 'in', amountRaw }, target, outcome });
const owner: OrderTarget = { kind: 'withdraw', mainAccountId: 'owner' };
const near: OrderTarget = { kind: 'swap', output: { tokenId: 'out', amountRaw: '7' } };

describe('an order that settles', () => {
  it('takes exactly its input out of transit, in positive amounts, each transfer under its own key', () => {
    fc.assert(
      fc.property(positive, targets, outcomes, (amountRaw, target, outcome) => {
        const { transfers } = settled(amountRaw, target, outcome);
        const left = transfers.filter(({ from }) => from === 'transit:a').map((transfer) => BigInt(transfer.amountRaw));
        expect(left.reduce((sum, amount) => sum + amount, 0n)).toBe(BigInt(amountRaw));
        expect(transfers.every((transfer) => BigInt(transfer.amountRaw) > 0n)).toBe(true);
        expect(new Set(transfers.map(({ key }) => key)).size).toBe(transfers.length);
      }),
    );
  });

  it('pays a withdrawal to its owner', () => {
    expect(settled('5', owner, 'deliver')).toEqual({
      transfers: [{ key: 'k/pay', from: 'transit:a', to: 'main:owner', tokenId: 'in', amountRaw: '5' }],
      status: 'settled',
      delivered: '5',
    });
  });

  it('swaps with the market', () => {
    expect(settled('5', near, 'deliver')).toEqual({
      transfers: [
        { key: 'k/pay', from: 'transit:a', to: 'pool', tokenId: 'in', amountRaw: '5' },
        { key: 'k/deliver', from: 'pool', to: 'wallet:a', tokenId: 'out', amountRaw: '7' },
      ],
      status: 'settled',
      delivered: '7',
    });
  });

  it('gives back what a partly filled swap did not spend', () => {
    expect(settled('5', near, 'partial')).toEqual({
      transfers: [
        { key: 'k/pay', from: 'transit:a', to: 'pool', tokenId: 'in', amountRaw: '2' },
        { key: 'k/deliver', from: 'pool', to: 'wallet:a', tokenId: 'out', amountRaw: '3' },
        { key: 'k/return', from: 'transit:a', to: 'wallet:a', tokenId: 'in', amountRaw: '3' },
      ],
      status: 'refunded',
      delivered: '3',
    });
  });

  it.each([
    ['refund', '5'],
    ['partial', '1'],
  ] as const)('gives everything back: %s of %s', (outcome, amountRaw) => {
    expect(settled(amountRaw, near, outcome)).toEqual({
      transfers: [{ key: 'k/return', from: 'transit:a', to: 'wallet:a', tokenId: 'in', amountRaw }],
      status: 'refunded',
      delivered: null,
    });
  });
});
