/** A form in which a word may be stored, and bytes that are in it only if the word is. */
export interface Encoded {
  readonly encoding: string;
  readonly bytes: Buffer;
}

/**
 * PostgreSQL's own compression (pglz) writes a byte before each 8 literal characters, so a longer text is never found whole in a
 * compressed value, but one of these pieces is.
 */
const pieceLength = 8;
const alignments = [0, 1, 2];

/**
 * Returns the forms of a text of at least 16 ASCII letters and digits: raw, in pieces, in base64 and base64url at each alignment, in hex,
 * UTF-16, with JSON's escapes and percent-encoded. Each is searched for as bytes.
 */
export function encodingsOf(text: string): Encoded[] {
  if (!/^[a-z0-9]{16,}$/.test(text)) throw new TypeError('it must have 16 letters and digits at least');
  const codes = [...text].map((letter) => letter.charCodeAt(0));
  const hex = Buffer.from(text).toString('hex');
  const escapes = (prefix: string, digits: number) =>
    codes.map((code) => prefix + code.toString(16).padStart(digits, '0')).join('');
  const texts: [string, string][] = [
    ...Array.from({ length: pieceLength }, (_, at): [string, string] => ['raw', text.slice(at, at + pieceLength)]),
    ...alignments.flatMap((alignment): [string, string][] => [
      ['base64', inBase64(text, alignment, 'base64')],
      ['base64', inBase64(text, alignment, 'base64url')],
    ]),
    ['upper case', text.toUpperCase()],
    ['hex', hex],
    ['hex', hex.toUpperCase()],
    ['JSON escapes', escapes('\\u', 4)],
    ['JSON escapes', escapes('\\u', 4).toUpperCase().replaceAll('\\U', '\\u')],
    ['percent-encoded', escapes('%', 2)],
    ['percent-encoded', escapes('%', 2).toUpperCase()],
  ];
  const utf16 = Buffer.from(text, 'utf16le').subarray(0, -1);
  const encoded = [
    ...texts.map(([encoding, form]) => ({ encoding, bytes: Buffer.from(form) })),
    // Without its last zero, these are the bytes of either byte order.
    { encoding: 'UTF-16', bytes: utf16 },
  ];
  return [...new Map(encoded.map((one) => [one.bytes.toString('latin1'), one])).values()];
}

/** The characters that depend on the text alone, if it begins so many bytes after a group of three. */
function inBase64(text: string, alignment: number, encoding: 'base64' | 'base64url'): string {
  const whole = Buffer.from('\0'.repeat(alignment) + text).toString(encoding);
  const first = Math.ceil((alignment * 8) / 6);
  const last = Math.floor(((alignment + text.length) * 8) / 6);
  return whole.slice(first, last);
}
