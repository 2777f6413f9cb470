import fc from 'fast-check';
import {
  add,
  compareDecimals,
  decimalOf,
  decimalText,
  floorQuotient,
  multiply,
  parseDecimal,
  roundUp,
  type Decimal,
} from './decimals';

const decimals = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 60n }), fc.integer({ min: 0, max: 80 }))
  .map(([unscaled, scale]): Decimal => ({ unscaled, scale }));
const positive = decimals.filter(({ unscaled }) => unscaled > 0n);

/** As a whole number over a common denominator beyond every scale here. */
const overall = ({ unscaled, scale }: Decimal) => unscaled * 10n ** BigInt(200 - scale);

describe('parseDecimal', () => {
  it.each([
    ['0', 0n, 0],
    ['0.0', 0n, 1],
    ['1.50', 150n, 2],
    ['0.000000000000000001', 1n, 18],
    ['10', 10n, 0],
    ['9'.repeat(500), 10n ** 500n - 1n, 0],
  ])('reads %s', (text, unscaled, scale) => expect(parseDecimal(text)).toEqual({ unscaled, scale }));

  it.each(['', '.', '1.', '.5', '01', '00', '-1', '+1', '1e3', ' 1', '1 ', '1\n', '1,5', '1.5.0', '0x10', '١', '1_0'])(
    'refuses %j',
    (text) => expect(parseDecimal(text)).toBeNull(),
  );
  it('refuses more than 500 characters', () => expect(parseDecimal('9'.repeat(501))).toBeNull());
});

describe('decimalOf', () => {
  it('refuses what is no amount', () => {
    expect(() => decimalOf(-1n, 0)).toThrow(RangeError);
    for (const scale of [-1, 0.5, NaN, 2001]) expect(() => decimalOf(1n, scale)).toThrow(RangeError);
    expect(decimalOf(0n, 2000)).toEqual({ unscaled: 0n, scale: 2000 });
  });
});

describe('decimalText', () => {
  it.each([
    [1500000n, 6, '1.5'],
    [1n, 18, '0.000000000000000001'],
    [100n, 0, '100'],
    [100n, 2, '1'],
    [0n, 6, '0'],
    [120n, 3, '0.12'],
  ])('spells %s / 10^%s', (unscaled, scale, text) => expect(decimalText({ unscaled, scale })).toBe(text));

  it('is read back as the same number, with the fewest digits', () => {
    fc.assert(
      fc.property(decimals, (decimal) => {
        const text = decimalText(decimal);
        expect(compareDecimals(parseDecimal(text)!, decimal)).toBe(0);
        expect(text).not.toMatch(/\.\d*0$/);
      }),
    );
  });
});

describe('arithmetic', () => {
  it('multiplies exactly', () => {
    fc.assert(
      fc.property(decimals, decimals, (one, other) => {
        const product = multiply(one, other);
        expect(overall(product) * 10n ** 200n).toBe(overall(one) * overall(other));
      }),
    );
  });

  it('divides down: the quotient fits in, one more does not', () => {
    fc.assert(
      fc.property(decimals, positive, (dividend, divisor) => {
        const quotient = floorQuotient(dividend, divisor);
        expect(quotient * overall(divisor) <= overall(dividend)).toBe(true);
        expect((quotient + 1n) * overall(divisor) > overall(dividend)).toBe(true);
      }),
    );
  });
  it('does not divide by 0', () => expect(() => floorQuotient(decimalOf(1n, 0), decimalOf(0n, 3))).toThrow(RangeError));

  it('compares numbers, not spellings', () => {
    fc.assert(
      fc.property(decimals, decimals, (one, other) => {
        const difference = overall(one) - overall(other);
        expect(Math.sign(compareDecimals(one, other))).toBe(difference === 0n ? 0 : difference < 0n ? -1 : 1);
      }),
    );
    expect(compareDecimals(parseDecimal('1.5')!, parseDecimal('1.500')!)).toBe(0);
  });
});

test('added is the exact sum', () =>
  fc.assert(
    fc.property(decimals, decimals, (one, other) => overall(add(one, other)) === overall(one) + overall(other)),
  ));

test('roundedUp is the least of its digits that is no less', () =>
  fc.assert(
    fc.property(decimals, fc.integer({ min: 0, max: 80 }), (number, digits) => {
      const up = roundUp(number, digits);
      const unit = 10n ** BigInt(200 - digits);
      expect(up.scale).toBeLessThanOrEqual(Math.max(digits, 0));
      expect(overall(up) >= overall(number) && overall(up) - overall(number) < unit).toBe(true);
    }),
  ));
