/** JSON numbers that are not negative. */
const jsonNumber = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,3}))?$/;
const lengthMax = 500;

/**
 * Converts a JSON number to plain decimal text without needless zeros: `1.50e-7` becomes `0.00000015`. Null if it is
 * negative, not a number, or longer than 500 characters.
 */
export function plainDecimal(text: string): string | null {
  const [whole, integer = '', fraction = '', exponent = '0'] = jsonNumber.exec(text) ?? [];
  if (whole === undefined || whole.length > lengthMax) return null;
  const shift = Number(exponent);
  if (Math.abs(shift) > lengthMax) return null;
  const digits = '0'.repeat(Math.max(0, -shift)) + integer + fraction + '0'.repeat(Math.max(0, shift));
  const pointAt = Math.max(0, -shift) + integer.length + shift;
  const before = digits.slice(0, pointAt).replace(/^0+(?=.)/, '');
  const after = digits.slice(pointAt).replace(/0+$/, '');
  const decimal = after === '' ? before : `${before}.${after}`;
  return decimal.length <= lengthMax ? decimal : null;
}
