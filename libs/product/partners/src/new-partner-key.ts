import { asId, type PartnerKeyId } from '@app/kernel';
import { createHash, randomBytes } from 'node:crypto';
import { v7 as uuidV7 } from 'uuid';

const keyBytes = 32;

/** A partner key that is not registered yet. */
export interface NewPartnerKey {
  readonly keyId: PartnerKeyId;
  /** For its partner alone. */
  readonly key: string;
  /** The lower-case hex SHA-256 of the key, which is stored in its place. */
  readonly keyHash: string;
}

/** Generates a random key. */
export function newPartnerKey(): NewPartnerKey {
  const key = `pk_${randomBytes(keyBytes).toString('base64url')}`;
  return { keyId: asId<PartnerKeyId>(uuidV7()), key, keyHash: hashOf(key) };
}

/** The hash by which a key is stored. */
export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
