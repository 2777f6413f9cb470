/** Bounds of the contract (specification, "Contract"; decisions.md, section 4). */
export const contractLimits = {
  actionsMax: 16,
  tokenIdLengthMax: 512,
  decimalsMax: 38,
  amountDigitsMax: 39,
  usdWholeDigitsMax: 39,
  usdFractionDigitsMax: 18,
  bpsMax: 10_000,
  usesMax: 1000,
} as const;

const { tokenIdLengthMax, decimalsMax, amountDigitsMax, usdWholeDigitsMax, usdFractionDigitsMax, bpsMax, usesMax } =
  contractLimits;

const tokenIdForm = /^nep141:[a-z0-9]+(?:[._-][a-z0-9]+)*$/;
const amountForm = /^[1-9]\d*$/;
/** The last fraction digit is 0 only where it is the only one: `1.0` and `1.5`, never `1.00` or `1.50`. */
const usdForm = /^(0|[1-9]\d*)(?:\.(\d|\d+[1-9]))?$/;
const bpsForm = /^[1-9]\d{0,4}$/;

/** A token that can be pinned: `nep141:` and lower-case alphanumeric segments joined by `.`, `_` or `-`. */
export function isTokenId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= tokenIdLengthMax && tokenIdForm.test(value);
}

export function isDecimals(value: unknown): value is number {
  return isWholeBetween(value, 0, decimalsMax);
}

/** A positive amount in a token's smallest unit, in its one spelling. */
export function isAmountRaw(value: unknown): value is string {
  return typeof value === 'string' && value.length <= amountDigitsMax && amountForm.test(value);
}

/** A positive value in US dollars, spelled without needless zeros. */
export function isUsdValue(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const [, whole, fraction = ''] = usdForm.exec(value) ?? [];
  if (whole === undefined || whole.length > usdWholeDigitsMax || fraction.length > usdFractionDigitsMax) return false;
  return /[1-9]/.test(value);
}

/** 1 to 10000 basis points, as a text. */
export function isBps(value: unknown): value is string {
  return typeof value === 'string' && bpsForm.test(value) && BigInt(value) <= BigInt(bpsMax);
}

export function isUses(value: unknown): value is number {
  return isWholeBetween(value, 1, usesMax);
}

/**
 * Whether a contract can name this amount of this asset. It cannot where the token is of another standard than NEP-141, its
 * decimals are unknown or more than 38, or the amount is 0 or has more than 39 digits (decisions.md, section 4).
 */
export function isPinnable(asset: {
  readonly tokenId: string;
  readonly decimals: number | null;
  readonly amountRaw: string;
}): boolean {
  return isTokenId(asset.tokenId) && isDecimals(asset.decimals) && isAmountRaw(asset.amountRaw);
}

function isWholeBetween(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}
