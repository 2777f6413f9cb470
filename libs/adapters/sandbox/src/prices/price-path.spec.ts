import { instantOf } from '@app/kernel';
import fc from 'fast-check';
import { pathPriceMicroUsd } from './price-path';

const near = { baseMicroUsd: 2_500_000n, swingPpm: 120_000n };
const instants = fc.integer({ min: 0, max: 4_000_000_000_000 }).map(instantOf);

describe('a price path', () => {
  it('stays within its swing', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), instants, (seed, tokenId, at) => {
        const price = pathPriceMicroUsd(seed, tokenId, near, at);
        expect(price >= 2_200_000n && price <= 2_800_000n).toBe(true);
      }),
    );
  });

  it('is the same every time, and another one for another seed or token', () => {
    const at = instantOf(1_800_000_000_000);
    const price = (seed: string, tokenId: string): bigint => pathPriceMicroUsd(seed, tokenId, near, at);
    expect(price('parley', 'nep141:wrap.near')).toBe(price('parley', 'nep141:wrap.near'));
    expect(new Set(['a', 'b', 'c'].flatMap((name) => [price(name, 'x'), price('x', name)])).size).toBe(6);
  });

  it('moves in small steps, up and down', () => {
    const start = 1_800_000_000_000;
    const prices = Array.from({ length: 3_000 }, (_, second) =>
      pathPriceMicroUsd('parley', 'nep141:wrap.near', near, instantOf(start + second * 1000)),
    );
    const steps = prices.slice(1).map((price, index) => price - (prices[index] ?? 0n));
    expect(steps.every((step) => step > -200n && step < 200n)).toBe(true);
    expect(steps.some((step) => step > 0n) && steps.some((step) => step < 0n)).toBe(true);
  });

  it('reaches far over weeks', () => {
    const prices = Array.from({ length: 500 }, (_, hour) =>
      pathPriceMicroUsd('parley', 'nep141:wrap.near', near, instantOf(1_800_000_000_000 + hour * 3_600_000)),
    );
    const [least = 0n, most = 0n] = [[...prices].sort(ascending)[0], [...prices].sort(ascending).at(-1)];
    expect(most - least).toBeGreaterThan(200_000n);
  });

  it('stands still without a swing', () => {
    fc.assert(
      fc.property(instants, (at) => pathPriceMicroUsd('s', 't', { ...near, swingPpm: 0n }, at) === near.baseMicroUsd),
    );
  });
});

function ascending(one: bigint, other: bigint): number {
  return one < other ? -1 : 1;
}
