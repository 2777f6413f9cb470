import { embeddedDatabaseName, embeddedPostgresFolder, writePrivate, makeFolder } from '@app/data-folder';
import { ensureDatabase, startEmbeddedPostgres, type EmbeddedPostgres } from '@app/embedded-postgres';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';

import { copyArtifacts } from './artifact-files';
import { readKeys, type GivenKeys } from './keys-file';
import type { OnProgress } from './progress';
import { CannotCopy, connect } from './connection';
import { emptyKnownTables, refuseStrangeNames } from './known-tables';
import { artifactsFolder, manifestFile, type Manifest, type TableInBackup } from './manifest';
import {
  refusalOfMigrations,
  refuseLaterTables,
  refuseMissingTables,
  refuseUnknownMigrations,
} from './named-migrations';
import { readTable } from './table-files';
import { eventsIn, tablesOf } from './tables';
import { readWholeBackup } from './whole-backup';

/** Exists in the data folder while a restore runs; an interrupted one is no deployment. */
export const restoringFolder = 'restoring';

export interface Restore {
  readonly from: string;
  /** A folder that is empty, is created, or in which a restore was interrupted. */
  readonly dataDir: string;
  /** Whether `PARLEY_SECRET_KEY` is set: then a backup may lack the generated secrets. */
  readonly hasSecretKey: boolean;
  /** The keys of persons' words. */
  readonly keys: GivenKeys;
  /** Names of all migrations of this program. */
  readonly migrations: readonly string[];
  /** Creates the tables of these migrations, and those of the event store, in a database. */
  readonly makeTables: (databaseUrl: string, migrations: readonly string[]) => Promise<void>;
  /** Marks the rows as those of a copy, in the transaction that writes them. */
  readonly mark: readonly MarkingStatement[];
}

/** One statement with positional parameters. */
interface MarkingStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The contents of a restored backup. */
export interface Restored extends Manifest {
  /** Tables in it that this version does not know; their rows were not restored. */
  readonly leftOut: readonly string[];
}

/**
 * Restores a backup into a data folder. The whole backup is checked before anything is written, each table is compared with its state at
 * the backup, and the folder is a deployment only when all of it is in place. No SQL of the backup is run: migrations create the tables,
 * and rows are copied as data. @throws CannotCopy
 */
export async function restoreBackup(restore: Restore, onProgress: OnProgress): Promise<Restored> {
  const { from, dataDir } = restore;
  const { manifest, secrets, keysFile } = await readWholeBackup(from, restore.hasSecretKey, restore.keys);
  refuseUnknownMigrations(manifest, restore.migrations);
  const unfinished = await beginIn(dataDir);
  const leftOut = await restoreDatabase({ ...restore, dataDir: unfinished, keysFile }, manifest, onProgress);
  await copyArtifacts(join(from, artifactsFolder), join(unfinished, artifactsFolder), 'all', onProgress);
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
  // Left by an interrupted restore, which may already have moved some files to their places.
  const unfinished = join(dataDir, restoringFolder);
  for (const name of names.filter((each) => each !== restoringFolder))
    await rm(join(dataDir, name), { recursive: true });
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  return unfinished;
}

interface CheckedRestore extends Restore {
  readonly keysFile: string | null;
}

/** @returns the tables that were left out */
async function restoreDatabase(restore: CheckedRestore, manifest: Manifest, onProgress: OnProgress): Promise<string[]> {
  const postgres = await startEmbeddedPostgres({ dataDir: embeddedPostgresFolder(restore.dataDir) });
  try {
    const url = await postgres.owned(embeddedDatabaseName);
    await restore.makeTables(url, manifest.migrations).catch((error: unknown) => {
      throw refusalOfMigrations(error);
    });
    const client = await connect(url);
    try {
      await client.query('BEGIN');
      refuseMissingTables(manifest, await tablesOf(client));
      const keys = manifest.keys ?? null;
      const known = await emptyKnownTables(client, keys === null ? manifest.tables : [...manifest.tables, keys]);
      const leftOut = manifest.tables.filter((one) => !known.includes(one)).map(({ table }) => table);
      if (leftOut.length > 0) refuseLaterTables(leftOut, await allTables(postgres, restore));
      await fillTables(client, known, restore, keys, onProgress);
      await refuseStrangeNames(client);
      await refuseOtherEvents(client, manifest);
      for (const { text, values } of restore.mark) await client.query(text, [...values]);
      await client.query('COMMIT');
      return leftOut;
    } finally {
      await client.end();
    }
  } finally {
    await postgres.stop();
  }
}

/** All tables of this program, whichever migration makes them. A database of its own shows them, because migrations are statements. */
async function allTables(postgres: EmbeddedPostgres, { makeTables, migrations }: Restore): Promise<string[]> {
  const name = 'all_tables';
  await ensureDatabase(postgres.url('postgres'), name);
  await makeTables(postgres.url(name), migrations);
  const client = await connect(postgres.url(name));
  const all = await tablesOf(client).finally(() => client.end());
  const administration = await connect(postgres.url('postgres'));
  await administration.query(`DROP DATABASE ${name} WITH (FORCE)`).finally(() => administration.end());
  return all;
}

async function fillTables(
  client: Client,
  tables: readonly TableInBackup[],
  { from, keysFile }: CheckedRestore,
  keys: TableInBackup | null,
  onProgress: OnProgress,
): Promise<void> {
  const onRows = onProgress(
    'rows',
    tables.reduce((sum, { rows }) => sum + rows, 0),
  );
  let done = 0;
  const onChunk = (rows: number): void => onRows((done += rows));
  for (const table of tables) {
    if (table !== keys) await readTable(client, table, from, onChunk);
    else if (keysFile !== null) await readKeys(client, keys, keysFile, onChunk);
  }
}

async function refuseOtherEvents(client: Client, { events, position }: Manifest): Promise<void> {
  const held = await eventsIn(client);
  if (held.events !== events || held.position !== position)
    throw new CannotCopy(
      `the backup holds ${held.events} events, up to position ${held.position}, and ${manifestFile} says ${events}, up to ${position}: take another copy of the backup`,
    );
}
