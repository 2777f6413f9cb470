import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '@app/kernel';

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
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const value: unknown = JSON.parse(text);
  const { secretKey, partnerKey } = isJsonObject(value) ? value : {};
  if (typeof secretKey !== 'string' || typeof partnerKey !== 'string') throw new Error(`${path} is damaged`);
  return { secretKey, partnerKey };
}

/** Writes a file for the folder's owner only, whole or not at all. */
export async function writePrivate(folder: string, name: string, content: object): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const unfinished = join(folder, `.${name}.unfinished`);
  const file = await open(unfinished, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(content, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, join(folder, name));
}
