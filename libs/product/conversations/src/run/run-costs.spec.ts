import fc from 'fast-check';
import { centsFromMicroCents, microCentsPerCent } from './run-costs';

describe('centsFromMicroCents', () => {
  it.each([
    [0, 0],
    [1, 1],
    [microCentsPerCent - 1, 1],
    [microCentsPerCent, 1],
    [microCentsPerCent + 1, 2],
    [Number.MAX_SAFE_INTEGER, 9_007_199_255],
  ])('of %i is %i', (microCents, cents) => expect(centsFromMicroCents(microCents)).toBe(cents));

  it('is the least whole number of cents that covers the cost', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (microCents) => {
        const cents = BigInt(centsFromMicroCents(microCents));
        const exact = BigInt(microCents);
        const perCent = BigInt(microCentsPerCent);
        expect(cents * perCent >= exact && (cents === 0n || (cents - 1n) * perCent < exact)).toBe(true);
      }),
    );
  });

  it.each([-1, -0.5, 0.5, NaN, Infinity, Number.MAX_SAFE_INTEGER + 1])('refuses %p', (microCents) => {
    expect(() => centsFromMicroCents(microCents)).toThrow(RangeError);
  });
});
