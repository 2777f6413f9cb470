import { asId, type PartnerKeyId } from '@app/kernel';
import { createHash, randomBytes } from 'node:crypto';
import { v7 as uuidV7 } from 'uuid';

const keyBytes = 32;

/** A partner key that nobody has registered yet. */
export interface NewPartnerKey {
  readonly keyId: PartnerKeyId;
  /** For its partner alone. */
  readonly key: string;
  /** What is stored of it: the lower-case hex SHA-256. */
  readonly keyHash: string;
}

/** A random key. */
export function newPartnerKey(): NewPartnerKey {
  const key = `pk_${randomBytes(keyBytes).toString('base64url')}`;
  return { keyId: asId<PartnerKeyId>(uuidV7()), key, keyHash: hashOf(key) };
}

/** What is stored of a key. */
export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
