import { embeddedDatabaseName, embeddedPostgresFolder, readSecrets, writePrivate, makeFolder } from '@app/data-folder';
import { startEmbeddedPostgres } from '@app/embedded-postgres';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { copyArtifacts } from './artifact-files';
import type { OnProgress } from './progress';
import { CannotCopy, connect } from './connection';
import { emptyKnownTables, refuseStrangeNames } from './known-tables';
import { artifactsFolder, readManifest, type Manifest } from './manifest';
import { checkTable, readTable } from './table-files';

/** In the data folder while a restore is under way: what a cut-off one leaves is no deployment. */
export const restoringFolder = 'restoring';

export interface Restore {
  readonly from: string;
  /** A folder that is made, or is empty, or in which a restore was cut off. */
  readonly dataDir: string;
  /** Makes the tables of these migrations, and those of the event store, in a database. */
  readonly makeTables: (databaseUrl: string, migrations: readonly string[]) => Promise<void>;
  /** Marks the rows as those of a copy, in the transaction that brings them. */
  readonly mark: readonly MarkingStatement[];
}

/** One statement with positional parameters. */
interface MarkingStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** What a restored backup held. */
export interface Restored extends Manifest {
  /** Tables in it that this version does not know, whose rows were not restored. */
  readonly leftOut: readonly string[];
}

/**
 * Makes a data folder of a backup. The backup is checked whole before anything is written, each table is compared with what it was
 * taken of, and the folder is a deployment only when all of it is there. No SQL of the backup is run: migrations make the tables, and rows
 * are copied as data. @throws CannotCopy
 */
export async function restoreBackup(restore: Restore, onProgress: OnProgress): Promise<Restored> {
  const { from, dataDir } = restore;
  const manifest = await readManifest(from);
  for (const table of manifest.tables) await checkTable(table, from);
  const unfinished = await beginIn(dataDir);
  const leftOut = await restoreDatabase({ ...restore, dataDir: unfinished }, manifest, onProgress);
  await copyArtifacts(join(from, artifactsFolder), join(unfinished, artifactsFolder), onProgress);
  const secrets = await readSecrets(from);
  if (secrets !== null) await writePrivate(unfinished, 'secrets.json', secrets);
  for (const name of await readdir(unfinished)) await rename(join(unfinished, name), join(dataDir, name));
  await rm(unfinished, { recursive: true });
  return { ...manifest, leftOut };
}

async function beginIn(dataDir: string): Promise<string> {
  await makeFolder(dataDir);
  const names = await readdir(dataDir);
  if (names.length > 0 && !names.includes(restoringFolder))
    throw new CannotCopy(`${dataDir} is not empty: set PARLEY_DATA_DIR to a folder that is`);
  // Of a restore that was cut off, also after it had begun to put things in their places.
  const unfinished = join(dataDir, restoringFolder);
  for (const name of names.filter((each) => each !== restoringFolder))
    await rm(join(dataDir, name), { recursive: true });
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  return unfinished;
}

/** @returns the tables that were left out */
async function restoreDatabase(
  { from, dataDir, makeTables, mark }: Restore,
  { migrations, tables }: Manifest,
  onProgress: OnProgress,
): Promise<string[]> {
  const postgres = await startEmbeddedPostgres({ dataDir: embeddedPostgresFolder(dataDir) });
  try {
    const url = await postgres.owned(embeddedDatabaseName);
    await makeTables(url, migrations);
    const onRows = onProgress(
      'rows',
      tables.reduce((sum, { rows }) => sum + rows, 0),
    );
    const client = await connect(url);
    try {
      await client.query('BEGIN');
      const known = await emptyKnownTables(client, tables);
      let done = 0;
      for (const table of known) await readTable(client, table, from, (rows) => onRows((done += rows)));
      await refuseStrangeNames(client);
      for (const { text, values } of mark) await client.query(text, [...values]);
      await client.query('COMMIT');
      return tables.filter((one) => !known.includes(one)).map(({ table }) => table);
    } finally {
      await client.end();
    }
  } finally {
    await postgres.stop();
  }
}
