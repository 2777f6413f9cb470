import fc from 'fast-check';
import { byRichness, integerOf, scaledAmount, unscaledAmount, valueUsdCents } from './amounts';

const amounts = fc.bigInt({ min: 0n, max: 10n ** 160n - 1n }).map(String);
const decimalsOfToken = fc.integer({ min: 0, max: 255 });

describe('scaledAmount', () => {
  it.each([
    ['1.5', 6, '1500000'],
    ['1.500000', 6, '1500000'],
    ['0', 6, '0'],
    ['0.000001', 6, '1'],
    ['7', 0, '7'],
    ['0.000000000000000000000001', 24, '1'],
  ])('%s with %i decimals', (text, decimals, raw) => expect(scaledAmount(text, decimals)).toBe(raw));

  it.each([
    ['1.0000000', 6],
    ['0.0000001', 6],
    ['1.0', 0],
    ['01.5', 6],
    ['1.', 6],
    ['.5', 6],
    ['-1', 6],
    ['1e6', 6],
    ['1,5', 6],
    ['', 6],
    ['1 ', 6],
    ['1'.repeat(501), 6],
  ])('%j with %i decimals is none', (text, decimals) => expect(scaledAmount(text, decimals)).toBeNull());
});

describe('unscaledAmount', () => {
  it.each([
    ['1500000', 6, '1.5'],
    ['1000000', 6, '1'],
    ['1', 18, '0.000000000000000001'],
    ['120', 0, '120'],
    ['0', 24, '0'],
  ])('%s with %i decimals', (raw, decimals, text) => expect(unscaledAmount(raw, decimals)).toBe(text));

  it('and scaledAmount undo each other', () => {
    fc.assert(
      fc.property(amounts, decimalsOfToken, (raw, decimals) => {
        expect(scaledAmount(unscaledAmount(raw, decimals), decimals)).toBe(raw);
      }),
    );
  });
});

describe('integerOf', () => {
  it.each(['', '1.0', '01', '-1', '0x1', ' 1', '1n', '9'.repeat(501)])('throws for %j', (text) =>
    expect(() => integerOf(text)).toThrow(RangeError),
  );
});

describe('valueUsdCents', () => {
  const value = (amountRaw: string, decimals: number | null, priceUsdDecimal: string | null) =>
    valueUsdCents({ amountRaw, decimals, priceUsdDecimal });

  it('rounds down', () => {
    expect(value('250000000', 6, '1')).toBe('25000');
    expect(value('1', 6, '9999.99')).toBe('0');
    expect(value('1999999', 6, '0.01')).toBe('1');
    expect(value('123456', 6, '0')).toBe('0');
    expect(value('9'.repeat(160), 0, '1')).toBe(`${'9'.repeat(160)}00`);
  });
  it('is unknown without a price or decimals', () => {
    expect(value('1', 6, null)).toBeNull();
    expect(value('1', null, '1')).toBeNull();
    expect(value('1', 6, '1e-3')).toBeNull();
  });
});

describe('byRichness', () => {
  const holding = (
    tokenId: string,
    amountRaw: string,
    priceUsdDecimal: string | null,
    decimals: number | null = 0,
  ) => ({
    tokenId,
    amountRaw,
    priceUsdDecimal,
    decimals,
  });
  const sorted = (...holdings: Parameters<typeof byRichness>[0][]) =>
    holdings.sort(byRichness).map(({ tokenId }) => tokenId);

  it('puts the richest first, and what has no value last', () => {
    const unknown = [holding('c', '999', null), holding('b', '999', '9', null)];
    expect(sorted(...unknown, holding('z', '0', '1'), holding('d', '5', '2'), holding('e', '11', '1'))).toEqual([
      'e',
      'd',
      'z',
      'b',
      'c',
    ]);
  });
  it('compares exact values, below a cent as well', () => {
    expect(sorted(holding('a', '1', '0.0000000001'), holding('b', '1', '0.0000000002'))).toEqual(['b', 'a']);
    expect(sorted(holding('a', '10', '0.1'), holding('b', '100', '0.10', 1))).toEqual(['a', 'b']);
  });
  it('orders equals by tokenId, by code units', () => {
    expect(sorted(holding('b', '1', '1'), holding('a', '1', '1.0'), holding('B', '1', '1'))).toEqual(['B', 'a', 'b']);
    expect(byRichness(holding('a', '1', '1'), holding('a', '1', '1'))).toBe(0);
  });
  it('is an order', () => {
    const holdings = fc.record({
      tokenId: fc.constantFrom('a', 'b', 'c'),
      amountRaw: fc.bigInt({ min: 0n, max: 20n }).map(String),
      decimals: fc.option(fc.integer({ min: 0, max: 2 })),
      priceUsdDecimal: fc.option(fc.constantFrom('0', '1', '0.1', '10')),
    });
    fc.assert(
      fc.property(holdings, holdings, holdings, (one, two, three) => {
        expect(Math.sign(byRichness(one, two)) + Math.sign(byRichness(two, one))).toBe(0);
        if (byRichness(one, two) <= 0 && byRichness(two, three) <= 0)
          expect(byRichness(one, three)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 1000 },
    );
  });
});
