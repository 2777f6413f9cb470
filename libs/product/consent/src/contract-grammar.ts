/** Bounds of the contract (specification, "Contract"; docs/decisions/approvals.md). */
export const contractLimits = {
  actionsMax: 16,
  tokenIdLengthMax: 512,
  decimalsMax: 38,
  amountDigitsMax: 39,
  usdWholeDigitsMax: 39,
  usdFractionDigitsMax: 18,
  bpsMax: 10_000,
  usesMax: 1000,
  usesPerOccurrenceMax: 10,
} as const;

const { tokenIdLengthMax, decimalsMax, amountDigitsMax, usdWholeDigitsMax, usdFractionDigitsMax } = contractLimits;

/** The only spelling of each text of a contract, including its length except for token ids. The reference shows exactly these patterns. */
export const contractForms = {
  tokenId: /^nep141:[a-z0-9]+(?:[._-][a-z0-9]+)*$/,
  /** Positive. */
  amountRaw: new RegExp(`^[1-9][0-9]{0,${amountDigitsMax - 1}}$`),
  /** Positive. The last fraction digit is 0 only where it is the only one: `1.0` and `1.5`, never `1.00` or `1.50`. */
  usd: new RegExp(
    `^(?:[1-9][0-9]{0,${usdWholeDigitsMax - 1}}(?:\\.(?:[0-9]|[0-9]{1,${usdFractionDigitsMax - 1}}[1-9]))?|0\\.[0-9]{0,${usdFractionDigitsMax - 1}}[1-9])$`,
  ),
  /** 1 to 10000. */
  bps: /^(?:[1-9][0-9]{0,3}|10000)$/,
} as const;

/** A token that can be pinned: `nep141:` and lower-case alphanumeric segments joined by `.`, `_` or `-`. */
function isTokenId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= tokenIdLengthMax && contractForms.tokenId.test(value);
}

function isDecimals(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= decimalsMax;
}

/** A positive amount in a token's smallest unit, in its only spelling. */
function isAmountRaw(value: unknown): value is string {
  return typeof value === 'string' && contractForms.amountRaw.test(value);
}

/**
 * Whether a contract can name this amount of this asset. It cannot if the token's standard is not NEP-141, its decimals
 * are unknown or more than 38, or the amount is 0 or has more than 39 digits (docs/decisions/approvals.md).
 */
export function isPinnable(asset: {
  readonly tokenId: string;
  readonly decimals: number | null;
  readonly amountRaw: string;
}): boolean {
  return isTokenId(asset.tokenId) && isDecimals(asset.decimals) && isAmountRaw(asset.amountRaw);
}
