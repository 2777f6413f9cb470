import { compareDecimals, decimalOf, decimalText, floorQuotient, multiply, parseDecimal } from '@app/kernel';
import type { Decimal } from '@app/kernel';

/** A held amount of a token, with its price. */
export interface PricedAmount {
  /** In the token's smallest unit: decimal digits without leading zeros. */
  readonly amountRaw: string;
  /** Null when the provider does not name the asset. */
  readonly decimals: number | null;
  /** US dollars for one whole token; null when the provider has no price. */
  readonly priceUsdDecimal: string | null;
}

const centsPerDollar: Decimal = { unscaled: 100n, scale: 0 };
const one: Decimal = { unscaled: 1n, scale: 0 };

/** An amount in the smallest unit as a number. Throws RangeError for any other spelling, which the caller has excluded. */
export function integerOf(amountRaw: string): bigint {
  const amount = parseDecimal(amountRaw);
  if (amount?.scale !== 0) throw new RangeError('not an amount in the smallest unit');
  return amount.unscaled;
}

/**
 * Converts whole tokens to the smallest unit: `("1.5", 6)` is `"1500000"`. Null for more fraction digits than the token
 * has decimals, even if they are zeros, and for any text that is not digits without leading zeros, optionally with a
 * point and more digits.
 */
export function scaledAmount(decimal: string, decimals: number): string | null {
  const amount = parseDecimal(decimal);
  if (amount === null || amount.scale > decimals) return null;
  return floorQuotient(amount, decimalOf(1n, decimals)).toString();
}

/**
 * Converts the smallest unit to whole tokens, with the fewest digits: `("1500000", 6)` is `"1.5"`. Throws RangeError
 * for any other spelling.
 */
export function unscaledAmount(amountRaw: string, decimals: number): string {
  return decimalText(decimalOf(integerOf(amountRaw), decimals));
}

/** The worth of an amount in whole US cents, rounded down; null without a price or without decimals. */
export function valueUsdCents(amount: PricedAmount): string | null {
  const value = valueUsdOf(amount);
  return value === null ? null : floorQuotient(multiply(value, centsPerDollar), one).toString();
}

/** The exact worth of an amount in US dollars; null without a price or without decimals. */
export function valueUsdOf({ amountRaw, decimals, priceUsdDecimal }: PricedAmount): Decimal | null {
  const price = priceUsdDecimal === null ? null : parseDecimal(priceUsdDecimal);
  if (price === null || decimals === null) return null;
  return multiply(decimalOf(integerOf(amountRaw), decimals), price);
}

/** Sorts the richest first: by the exact value in US dollars, those without a value last, then by `tokenId`. */
export function byRichness(
  first: PricedAmount & { readonly tokenId: string },
  second: PricedAmount & { readonly tokenId: string },
): number {
  const firstValue = valueUsdOf(first);
  const secondValue = valueUsdOf(second);
  if (firstValue === null || secondValue === null) {
    if (firstValue !== null) return -1;
    if (secondValue !== null) return 1;
  } else {
    const order = compareDecimals(secondValue, firstValue);
    if (order !== 0) return order;
  }
  if (first.tokenId === second.tokenId) return 0;
  return first.tokenId < second.tokenId ? -1 : 1;
}
