import { readSecrets, SecretsDamaged } from '@app/data-folder';
import { join } from 'node:path';
import { checkArtifacts } from './artifact-files';
import { notPartOf } from './backup-files';
import { CannotCopy } from './connection';
import { checkKeys, type GivenKeys } from './keys-file';
import { artifactsFolder, readManifest, type Manifest } from './manifest';
import { checkTable, refuseOtherTables } from './table-files';

type Secrets = NonNullable<Awaited<ReturnType<typeof readSecrets>>>;

/** A backup in which every file that its manifest counts was read, and is as it was written. */
export interface WholeBackup {
  readonly manifest: Manifest;
  /** The secrets in it; null if there are none. */
  readonly secrets: Secrets | null;
  /** The file of the keys of its words; null to restore none, or those among the tables. */
  readonly keysFile: string | null;
}

/**
 * Reads all files of a backup, and writes nothing. @param hasSecretKey whether `PARLEY_SECRET_KEY` is set: then a backup may lack the
 * generated secrets @throws CannotCopy
 */
export async function readWholeBackup(from: string, hasSecretKey: boolean, keys: GivenKeys): Promise<WholeBackup> {
  const manifest = await readManifest(from);
  const keysFile = await checkKeys(manifest, keys);
  const secrets = await checkSecrets(from, manifest, hasSecretKey);
  await refuseOtherTables(manifest.tables, from);
  for (const table of manifest.tables) await checkTable(table, from);
  await checkArtifacts(join(from, artifactsFolder), manifest.artifacts);
  return { manifest, secrets, keysFile };
}

async function checkSecrets(from: string, manifest: Manifest, hasSecretKey: boolean): Promise<Secrets | null> {
  const file = join(from, 'secrets.json');
  const secrets = await readSecrets(from).catch((error: unknown) => {
    // Its own words name a backup as the remedy.
    throw error instanceof SecretsDamaged
      ? new CannotCopy(`${file} is damaged: take another copy of the backup`, { cause: error })
      : error;
  });
  if (secrets !== null && !manifest.secrets) throw notPartOf(file);
  if (secrets === null && manifest.secrets && !hasSecretKey)
    throw new CannotCopy(
      `${file} is missing, and only its key opens the wallet keys in the backup: take another copy of the backup, or set PARLEY_SECRET_KEY to that key`,
    );
  return secrets;
}
