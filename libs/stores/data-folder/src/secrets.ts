import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isJsonObject } from '@app/kernel';
import { readJson, writePrivate } from './private-file';

/** Secrets that a sandbox generates once and stores, so that cursors, sealed secrets and the printed key survive a restart. */
export interface SandboxSecrets {
  /** `PARLEY_SECRET_KEY`. */
  readonly secretKey: string;
  /** The partner key that `npm start` prints. */
  readonly partnerKey: string;
}

const secretFile = 'secrets.json';
const secretKeyBytes = 32;

/** The file of secrets exists and cannot be used. The message is one sentence, says what to do, and contains no secret. */
export class SecretsDamaged extends Error {
  constructor(path: string) {
    super(
      `${path} is damaged: put it back from a backup; it holds the secret key that wallet keys and webhook secrets are sealed with`,
    );
  }
}

/** Returns the secrets of a data folder; generates and stores them (0600) when there are none. @throws SecretsDamaged */
export async function ensureSecrets(dataDir: string): Promise<SandboxSecrets> {
  const kept = await readSecrets(dataDir);
  if (kept !== null) return kept;
  const secrets = { secretKey: randomBytes(secretKeyBytes).toString('base64'), partnerKey: newPartnerKey() };
  await writePrivate(dataDir, secretFile, secrets);
  return secrets;
}

/** Stores a new partner key in a data folder, in place of one that was revoked, and returns it. @throws SecretsDamaged */
export async function renewPartnerKey(dataDir: string): Promise<string> {
  const secrets = { ...(await ensureSecrets(dataDir)), partnerKey: newPartnerKey() };
  await writePrivate(dataDir, secretFile, secrets);
  return secrets.partnerKey;
}

const newPartnerKey = (): string => `pk_${randomBytes(32).toString('base64url')}`;

/** Returns the secrets of a data folder, or null. @throws SecretsDamaged */
export async function readSecrets(dataDir: string): Promise<SandboxSecrets | null> {
  const path = join(dataDir, secretFile);
  const value = await readJson(path).catch((error: unknown) => {
    // The message of a JSON parser quotes the file.
    throw error instanceof SyntaxError ? new SecretsDamaged(path) : error;
  });
  if (value === null) return null;
  const { secretKey, partnerKey } = isJsonObject(value) ? value : {};
  const isKey = typeof secretKey === 'string' && Buffer.from(secretKey, 'base64').length >= secretKeyBytes;
  if (!isKey || typeof partnerKey !== 'string' || !partnerKey.startsWith('pk_')) throw new SecretsDamaged(path);
  return { secretKey, partnerKey };
}
