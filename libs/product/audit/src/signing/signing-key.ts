import { hkdfSync } from 'node:crypto';
import type { Configuration } from '@app/settings';
import { signingKey, type SigningKey } from '@app/transparency';

const label = 'parley/audit-signing/1';
const seedBytes = 32;

/** AUDIT_SIGNING_KEY, or a key derived from PARLEY_SECRET_KEY (RFC 5869). @throws Error if neither is set */
export function logKey({ env }: Configuration, origin: string): SigningKey {
  const { AUDIT_SIGNING_KEY: own, PARLEY_SECRET_KEY: secret } = env;
  if (own !== undefined) return signingKey('log', origin, Buffer.from(own, 'base64'));
  if (secret === undefined) throw new Error('PARLEY_SECRET_KEY or AUDIT_SIGNING_KEY is needed to sign checkpoints');
  const seed = hkdfSync('sha256', Buffer.from(secret, 'base64'), '', label, seedBytes);
  return signingKey('log', origin, new Uint8Array(seed));
}
