import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * Returns the RFC 8785 (JCS) form of a JSON value: equal values have equal texts. Throws TypeError for a value that JSON cannot represent.
 */
export function canonicalText(value: object): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return text;
}

/** Lower-case hex SHA-256 of a text in UTF-8, or of bytes. */
export function sha256Hex(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}

/** SHA-256 hashes blocks of this size. */
const blockBytes = 64;

/**
 * Lower-case hex HMAC-SHA256 (RFC 2104), by nothing but the hash, which exists wherever receipts are verified.
 * @param key of at most 64 bytes
 */
export function hmacSha256Hex(key: Uint8Array, content: Uint8Array): string {
  if (key.length > blockBytes) throw new RangeError('a key is longer than a block');
  const padded = (pad: number, length: number): Uint8Array => {
    const bytes = new Uint8Array(blockBytes + length).fill(pad, 0, blockBytes);
    key.forEach((byte, at) => (bytes[at] = byte ^ pad));
    return bytes;
  };
  const inner = padded(0x36, content.length);
  inner.set(content, blockBytes);
  const digest = sha256Hex(inner).match(/../g) ?? [];
  const outer = padded(0x5c, digest.length);
  digest.forEach((hex, at) => (outer[blockBytes + at] = parseInt(hex, 16)));
  return sha256Hex(outer);
}

/** `sha256:` and the hex SHA-256 of the RFC 8785 form (docs/decisions/approvals.md, "Fingerprint"). */
export function fingerprintOf(value: object): string {
  return `sha256:${sha256Hex(canonicalText(value))}`;
}
