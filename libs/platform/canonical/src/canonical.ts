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

/** `sha256:` and the hex SHA-256 of the RFC 8785 form (docs/decisions/approvals.md, "Fingerprint"). */
export function fingerprintOf(value: object): string {
  return `sha256:${sha256Hex(canonicalText(value))}`;
}
