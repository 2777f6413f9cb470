/** A token of the sandbox's market. */
export interface MarketToken {
  readonly tokenId: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number | null;
  readonly iconUrl: string | null;
  /** The middle of its path in millionths of a dollar; null: it has no price until one is pinned. */
  readonly baseMicroUsd: bigint | null;
  /** The maximum deviation of the path from its middle, in millionths of the middle. */
  readonly swingPpm: bigint;
}

const wrappedNear = 'nep141:wrap.near';
const usdCoin = 'nep141:17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1';
const ether = 'nep141:eth.omft.near';
const indescribable = 'nep245:v2_1.omni.hot.tg:1100_sandbox';
const icon = (name: string): string => `https://icons.example/${name}.svg`;

/** The ids of the first four are fixed (docs/decisions/money.md). */
export const marketTokens: readonly MarketToken[] = [
  token(usdCoin, 'USDC', 'USD Coin', 6, 1_000_000n, 0n),
  token(wrappedNear, 'wNEAR', 'Wrapped NEAR', 24, 2_500_000n, 120_000n),
  token(ether, 'ETH', 'Ether', 18, 3_000_000_000n, 80_000n),
  {
    tokenId: indescribable,
    symbol: '1100_sandbox',
    name: 'An asset that the provider cannot describe',
    decimals: null,
    iconUrl: null,
    baseMicroUsd: null,
    swingPpm: 0n,
  },
  token('nep141:usdt.tether-token.near', 'USDT', 'Tether USD', 6, 1_000_000n, 500n),
  { ...token('nep141:btc.omft.near', 'BTC', 'Bitcoin', 8, 90_000_000_000n, 60_000n), iconUrl: null },
];

/** Symbols in addition to the tokens' own: `NEAR` is wNEAR (docs/decisions/money.md). */
export const symbolAliases: Readonly<Record<string, string>> = { near: wrappedNear };

/** The balance of a new wallet (docs/decisions/money.md). */
export const startingBalance = [
  { tokenId: usdCoin, amountRaw: '250000000' },
  { tokenId: wrappedNear, amountRaw: '40000000000000000000000000' },
  { tokenId: ether, amountRaw: '50000000000000000' },
  { tokenId: indescribable, amountRaw: '1000' },
] as const;

function token(
  tokenId: string,
  symbol: string,
  name: string,
  decimals: number,
  baseMicroUsd: bigint,
  swingPpm: bigint,
): MarketToken {
  return { tokenId, symbol, name, decimals, iconUrl: icon(symbol.toLowerCase()), baseMicroUsd, swingPpm };
}
