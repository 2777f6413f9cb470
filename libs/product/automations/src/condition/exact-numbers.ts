/** A number of any sign and size, exactly: `sign` × 0.`digits` × 10^`exponent`. */
export interface ExactNumber {
  readonly sign: -1 | 0 | 1;
  /** Without leading and trailing zeros; empty for 0. */
  readonly digits: string;
  readonly exponent: number;
}

/** ECMAScript's spelling of a finite number. */
const numberSpelling = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;
/** A decimal in a text: no exponent, no plus sign, no needless leading zeros. */
const decimalSpelling = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?$/;

const zeroCode = 0x30;

/**
 * The number that a JSON number is, or that a text spells as a decimal: an optional minus sign, digits without needless
 * leading zeros, and optionally a point and more digits; of any length. Null for any other text. A JSON number is taken
 * by its shortest spelling, which is how it was sent: bodies with other spellings are refused
 * (docs/decisions/conventions.md, "Bodies").
 */
export function exactNumberOf(value: number | string): ExactNumber | null {
  const match = typeof value === 'number' ? numberSpelling.exec(String(value)) : decimalSpelling.exec(value);
  if (match === null) return null;
  const [, minus = '', whole = '', fraction = '', power = '0'] = match;
  const all = whole + fraction;
  let start = 0;
  let end = all.length;
  // A loop, because a regular expression for trailing zeros takes quadratic time on a long run of them.
  while (start < end && all.charCodeAt(start) === zeroCode) start += 1;
  while (end > start && all.charCodeAt(end - 1) === zeroCode) end -= 1;
  if (start === end) return { sign: 0, digits: '', exponent: 0 };
  return {
    sign: minus === '' ? 1 : -1,
    digits: all.slice(start, end),
    exponent: whole.length + Number(power) - start,
  };
}

/** Negative, 0 or positive, as `one` is less than, equal to or greater than `other`. */
export function compareExactly(one: ExactNumber, other: ExactNumber): number {
  if (one.sign !== other.sign) return one.sign - other.sign;
  return one.sign * compareSizes(one, other);
}

function compareSizes(one: ExactNumber, other: ExactNumber): number {
  if (one.exponent !== other.exponent) return one.exponent - other.exponent;
  if (one.digits === other.digits) return 0;
  // Without trailing zeros, the order of the texts is that of the fractions.
  return one.digits < other.digits ? -1 : 1;
}
