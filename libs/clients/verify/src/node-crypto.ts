import { sha256 } from '@noble/hashes/sha2';

/** Replaces `node:crypto` without Node (scripts/verify-package.mjs): `hash` as we call it, lower-case hex SHA-256. */
export function hash(_algorithm: 'sha256', content: string | Uint8Array, _encoding: 'hex'): string {
  const bytes = sha256(typeof content === 'string' ? new TextEncoder().encode(content) : content);
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
