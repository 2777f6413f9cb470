/**
 * Whether a double holds a JSON number exactly as it is spelled (I-JSON, RFC 7493, section 2.2; docs/decisions/conventions.md, "Bodies"):
 * the shortest text that parses to the same double must denote the same decimal value.
 */
export function isHeldExactly(spelling: string): boolean {
  const value = Number(spelling);
  return Number.isFinite(value) && sameDecimal(decimalOf(spelling), decimalOf(String(value)));
}

/** `digits` × 10^`exponent`, with neither leading nor trailing zeros in `digits`; zero has none. The sign is left out. */
interface Decimal {
  readonly digits: string;
  readonly exponent: number;
}

function decimalOf(spelling: string): Decimal {
  const unsigned = spelling.startsWith('-') ? spelling.slice(1) : spelling;
  const [mantissa = '', exponentText = '0'] = unsigned.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = whole + fraction;
  let start = 0;
  let end = all.length;
  while (start < end && all[start] === '0') start += 1;
  while (end > start && all[end - 1] === '0') end -= 1;
  return { digits: all.slice(start, end), exponent: Number(exponentText) - fraction.length + (all.length - end) };
}

function sameDecimal(one: Decimal, other: Decimal): boolean {
  return one.digits === other.digits && (one.digits === '' || one.exponent === other.exponent);
}
