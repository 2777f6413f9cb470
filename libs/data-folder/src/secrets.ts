import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isJsonObject } from '@app/kernel';
import { readJson, writePrivate } from './private-file';

/** What a sandbox generates once and keeps, so that cursors, sealed secrets and the printed key outlive a restart. */
export interface SandboxSecrets {
  /** `PARLEY_SECRET_KEY`. */
  readonly secretKey: string;
  /** The partner key that `npm start` prints. */
  readonly partnerKey: string;
}

const secretFile = 'secrets.json';

/** The secrets of a data folder, generated and kept (0600) when there are none. Throws when the file holds anything else. */
export async function ensureSecrets(dataDir: string): Promise<SandboxSecrets> {
  const kept = await readSecrets(dataDir);
  if (kept !== null) return kept;
  const secrets = {
    secretKey: randomBytes(32).toString('base64'),
    partnerKey: `pk_${randomBytes(32).toString('base64url')}`,
  };
  await writePrivate(dataDir, secretFile, secrets);
  return secrets;
}

/** The secrets that a data folder holds, or null. */
export async function readSecrets(dataDir: string): Promise<SandboxSecrets | null> {
  const path = join(dataDir, secretFile);
  const value = await readJson(path);
  if (value === null) return null;
  const { secretKey, partnerKey } = isJsonObject(value) ? value : {};
  if (typeof secretKey !== 'string' || typeof partnerKey !== 'string') throw new Error(`${path} is damaged`);
  return { secretKey, partnerKey };
}
