import { sha256 } from '@noble/hashes/sha2';

/**
 * Replaces `hash` of `node:crypto` where there is no Node (scripts/verify-package.mjs): lower-case hex SHA-256, as our
 * code calls it.
 */
export function hash(_algorithm: 'sha256', content: string | Uint8Array, _encoding: 'hex'): string {
  const bytes = sha256(typeof content === 'string' ? new TextEncoder().encode(content) : content);
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
