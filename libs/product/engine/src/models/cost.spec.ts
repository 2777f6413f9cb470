import { parseDecimal } from '@app/kernel';
import { stepCost } from './cost';

const costOf = (
  input: string,
  output: string,
  inputTokens: number,
  outputTokens: number,
  cached: readonly [string, number] = [input, 0],
  written: readonly [string, number] = [input, 0],
) =>
  stepCost(
    {
      inputUsdPerMillion: parseDecimal(input)!,
      cachedInputUsdPerMillion: parseDecimal(cached[0])!,
      cacheWriteUsdPerMillion: parseDecimal(written[0])!,
      outputUsdPerMillion: parseDecimal(output)!,
    },
    { inputTokens, outputTokens, cachedInputTokens: cached[1], cacheWriteTokens: written[1] },
  );

describe('stepCost', () => {
  it.each([
    ['3', '15', 1_000_000, 0, 300_000_000],
    ['3', '15', 0, 1_000_000, 1_500_000_000],
    ['3', '15', 100, 10, 45_000],
    ['0', '0', 100, 10, 0],
    ['0.15', '0.6', 7, 3, 285],
    ['0.1', '0.20', 1, 1, 30],
    // Rounded up once, after the sum: 0.4 + 0.4 micro-cents.
    ['0.004', '0.004', 1, 1, 1],
    ['0.000000000001', '0', 1, 0, 1],
    ['999999.999999999999', '999999.999999999999', 10_000_000, 0, 1_000_000_000_000_000],
  ])('at %s and %s USD per million, %d and %d tokens cost %d micro-cents', (input, output, asked, said, microCents) => {
    expect(costOf(input, output, asked, said)).toBe(microCents);
  });

  it.each([
    ['0.3', 1_000_000, 30_000_000],
    ['0.3', 400_000, 192_000_000],
    ['0', 1_000_000, 0],
    // Rounded up once, after the sum.
    ['0.000000000001', 1, 299_999_701],
  ])(
    'takes cached input at its own price: at %s for %d of a million tokens, %d micro-cents',
    (price, count, microCents) => {
      expect(costOf('3', '15', 1_000_000, 0, [price, count])).toBe(microCents);
    },
  );

  it.each([
    ['3.75', 1_000_000, 375_000_000],
    ['3.75', 400_000, 60_000_000 + 30_000_000 + 150_000_000],
    ['3.750000000001', 1, 60_000_000 + 59_999_925 + 376],
  ])(
    'takes what is put into the cache at its own price: at %s for %d tokens, %d micro-cents',
    (price, count, microCents) => {
      // The remaining tokens: 200,000 at 3 USD, and the others from the cache at 0.75.
      const read = count === 1_000_000 ? 0 : 1_000_000 - 200_000 - count;
      const cost = costOf('3', '15', 1_000_000, 0, ['0.75', read], [price, count]);
      expect(cost).toBe(microCents);
    },
  );

  it('stays a safe integer at the bounds', () => {
    const dear = '999999.999999999999';
    const most = costOf(dear, dear, 10_000_000, 10_000_000, [dear, 0], ['1249999.99999999999875', 10_000_000]);
    expect(Number.isSafeInteger(most)).toBe(true);
  });
});
