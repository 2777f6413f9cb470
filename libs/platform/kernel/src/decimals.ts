/** A non-negative number, exactly: `unscaled` / 10^`scale`. */
export interface Decimal {
  readonly unscaled: bigint;
  readonly scale: number;
}

/** Maximum length of a decimal text: that of the contract's longest, a price (specification, "WithdrawalSources"). */
const decimalLengthMax = 500;
/** Maximum number of fraction digits in this module: more than any token has (at most 255), even multiplied twice. */
const scaleMax = 4 * decimalLengthMax;

const spelling = /^(0|[1-9]\d*)(?:\.(\d+))?$/;

/**
 * Parses a number: digits without leading zeros, and optionally a point and more digits. Null for any other spelling (a sign, an exponent,
 * spaces, no digit before or after the point) and for more than 500 characters.
 */
export function parseDecimal(text: string): Decimal | null {
  // A stored event of another program may hold a number here, which the pattern would take.
  if (String(text) !== text || text.length > decimalLengthMax) return null;
  const [, whole, fraction = ''] = spelling.exec(text) ?? [];
  return whole === undefined ? null : { unscaled: BigInt(whole + fraction), scale: fraction.length };
}

/** Returns `unscaled` / 10^`scale`. Throws RangeError for a negative number, and for a scale that is not a whole number of 0 to 2000. */
export function decimalOf(unscaled: bigint, scale: number): Decimal {
  if (unscaled < 0n) throw new RangeError('a negative amount');
  if (!Number.isInteger(scale) || scale < 0 || scale > scaleMax) throw new RangeError(`not a scale: ${scale}`);
  return { unscaled, scale };
}

/** Formats a number with the fewest digits: `1.5`, `0.05`, `20`. */
export function decimalText({ unscaled, scale }: Decimal): string {
  const digits = unscaled.toString().padStart(scale + 1, '0');
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  const whole = digits.slice(0, digits.length - scale);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** The exact product. */
export function multiply(one: Decimal, other: Decimal): Decimal {
  return decimalOf(one.unscaled * other.unscaled, one.scale + other.scale);
}

/** The exact sum. */
export function add(one: Decimal, other: Decimal): Decimal {
  const scale = Math.max(one.scale, other.scale);
  const scaled = ({ unscaled, scale: own }: Decimal): bigint => unscaled * powerOfTen(scale - own);
  return decimalOf(scaled(one) + scaled(other), scale);
}

/** Rounds up to at most so many fraction digits. */
export function roundUp(number: Decimal, fractionDigits: number): Decimal {
  if (number.scale <= fractionDigits) return number;
  const divisor = powerOfTen(number.scale - fractionDigits);
  return decimalOf((number.unscaled + divisor - 1n) / divisor, fractionDigits);
}

/** The greatest whole number that is at most `dividend` / `divisor`. Throws RangeError for a divisor of 0. */
export function floorQuotient(dividend: Decimal, divisor: Decimal): bigint {
  return (dividend.unscaled * powerOfTen(divisor.scale)) / (divisor.unscaled * powerOfTen(dividend.scale));
}

/** Negative, 0 or positive, as `one` is less than, equal to or greater than `other`. */
export function compareDecimals(one: Decimal, other: Decimal): number {
  const left = one.unscaled * powerOfTen(other.scale);
  const right = other.unscaled * powerOfTen(one.scale);
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function powerOfTen(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}
