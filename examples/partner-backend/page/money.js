// Amounts are decimal digits in a token's smallest unit. They stay strings, because a float would lose digits.

/** Fraction digits that are enough for an overview. */
const shownDigits = 6;

/**
 * Returns raw units as a decimal: `scaled('1500000', 6)` is `1.5`.
 * @param {string} amountRaw
 * @param {number} decimals
 */
export function scaled(amountRaw, decimals) {
  const digits = amountRaw.padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? grouped(whole) : `${grouped(whole)}.${fraction}`;
}

/**
 * Returns a decimal with its first few fraction digits. The others are cut, never rounded, and replaced by `…`.
 * @param {string} decimal
 */
export function shortened(decimal) {
  const [whole = '', fraction = ''] = decimal.split('.');
  return fraction.length <= shownDigits ? decimal : `${whole}.${fraction.slice(0, shownDigits)}…`;
}

/**
 * Returns cents as dollars: `dollars('123456')` is `$1,234.56`.
 * @param {string} cents
 */
export function dollars(cents) {
  const digits = cents.padStart(3, '0');
  return `$${grouped(digits.slice(0, -2))}.${digits.slice(-2)}`;
}

/** @param {string} digits */
function grouped(digits) {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',');
}
