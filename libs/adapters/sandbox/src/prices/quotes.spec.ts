import { decimalOf } from '@app/kernel';
import fc from 'fast-check';
import { outputFor, stillHolds, inputFor, type QuotedToken } from './quotes';

const token = fc.record({
  decimals: fc.integer({ min: 0, max: 38 }),
  price: fc
    .tuple(fc.bigInt(1n, 10n ** 20n), fc.integer({ min: 0, max: 18 }))
    .map(([digits, scale]) => decimalOf(digits, scale)),
});
const amounts = fc.bigInt(0n, 10n ** 39n);

/** Two sides of one fraction, without a shared denominator: `amount` of `one` is worth `worth / per` of `other`. */
function worthOf(
  amount: bigint,
  one: QuotedToken,
  other: QuotedToken,
): { readonly worth: bigint; readonly per: bigint } {
  return {
    worth: amount * one.price.unscaled * 10n ** BigInt(other.decimals + other.price.scale),
    per: other.price.unscaled * 10n ** BigInt(one.decimals + one.price.scale),
  };
}

describe('quotes', () => {
  it('deliver the most that the input is worth, never more', () => {
    fc.assert(
      fc.property(amounts, token, token, (amount, input, output) => {
        const { worth, per } = worthOf(amount, input, output);
        const delivered = outputFor(amount, input, output);
        expect(delivered * per <= worth && (delivered + 1n) * per > worth).toBe(true);
      }),
    );
  });

  it('need the least that the output is worth, never less', () => {
    fc.assert(
      fc.property(amounts, token, token, (amount, input, output) => {
        const { worth, per } = worthOf(amount, output, input);
        const needed = inputFor(amount, input, output);
        expect(needed * per >= worth && (needed - 1n) * per < worth).toBe(true);
      }),
    );
  });

  it('are enough for what they promise: what is needed delivers at least the output', () => {
    fc.assert(
      fc.property(amounts, token, token, (amount, input, output) => {
        expect(outputFor(inputFor(amount, input, output), input, output) >= amount).toBe(true);
      }),
    );
  });

  it('hold while the market moves by at most one per cent against them', () => {
    expect([10_100n, 10_000n, 9_900n].map((now) => stillHolds(10_000n, now))).toEqual([true, true, true]);
    expect([9_899n, 0n].map((now) => stillHolds(10_000n, now))).toEqual([false, false]);
  });
});
