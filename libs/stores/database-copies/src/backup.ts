import { makeFolder, readSecrets, systemWords, writePrivate } from '@app/data-folder';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import { copyArtifacts } from './artifact-files';
import { CannotCopy, connect } from './connection';
import { refuseKeysPlace, writeKeys } from './keys-file';
import type { OnProgress } from './progress';
import {
  keysTable,
  artifactsFolder,
  manifestFile,
  manifestOf,
  tablesFolder,
  type Manifest,
  type TableInBackup,
} from './manifest';
import { countRowsOf, eventsIn, tablesOf } from './tables';
import { writeTable } from './table-files';

export interface Backup {
  /** The product's database, with the embedded event store in it. */
  readonly databaseUrl: string;
  /** The folder with artifacts and generated secrets. */
  readonly dataDir: string;
  /** A folder that is empty, or is created. */
  readonly to: string;
  /** The file for the keys of persons' words, which are never in the folder; null to leave them out. */
  readonly keysTo: string | null;
}

/**
 * Copies both embedded stores, artifacts and secrets into a folder while the service runs. All rows are of one instant (one snapshot of
 * PostgreSQL), and every artifact that they name is included, because an artifact is stored before it is named and never changes, unless an
 * erasure removed its bytes meanwhile. The keys of persons' words go to a file of their own, from the same snapshot, so no key that a row needs
 * is missing there. An interrupted backup has no manifest, and counts as none. @throws CannotCopy
 */
export async function takeBackup(backup: Backup, onProgress: OnProgress): Promise<Manifest> {
  const { dataDir, to, keysTo } = backup;
  if (keysTo !== null) await refuseKeysPlace(keysTo, to);
  await makeEmptyFolder(to).catch((error: unknown) => {
    throw unwritable(to, error);
  });
  let hasKeys = false;
  try {
    const id = randomUUID();
    const stores = await copyStores(backup, id, onProgress);
    hasKeys = true;
    const artifacts = await copyArtifacts(
      join(dataDir, artifactsFolder),
      join(to, artifactsFolder),
      'left',
      onProgress,
    );
    const secrets = await readSecrets(dataDir);
    if (secrets !== null) await writePrivate(to, 'secrets.json', secrets);
    const manifest = manifestOf({ id, ...stores, artifacts, secrets: secrets !== null });
    await writePrivate(to, manifestFile, manifest);
    return manifest;
  } catch (error) {
    for (const name of await readdir(to)) await rm(join(to, name), { recursive: true, force: true });
    // This backup wrote it, and it belongs to none now. Before that, the place may be that of another backup.
    if (hasKeys && keysTo !== null) await rm(keysTo, { force: true });
    throw unwritable(to, error);
  }
}

/** Adds the folder to a refusal of the system, such as a full disk; returns any other error unchanged. */
function unwritable(folder: string, error: unknown): unknown {
  const words = systemWords(error);
  return words === null ? error : new CannotCopy(`${folder} cannot be written: ${words}`, { cause: error });
}

type Stores = Pick<Manifest, 'migrations' | 'events' | 'position' | 'tables' | 'keys'>;

async function copyStores({ databaseUrl, to, keysTo }: Backup, id: string, onProgress: OnProgress): Promise<Stores> {
  const client = await connect(databaseUrl);
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const all = await tablesOf(client);
    const names = all.filter((name) => name !== keysTable);
    const onRows = onProgress('rows', await countRowsOf(client, keysTo === null ? names : all));
    const tables: TableInBackup[] = [];
    let done = 0;
    const onChunk = (rows: number): void => onRows((done += rows));
    for (const name of names) tables.push(await writeTable(client, name, to, onChunk));
    // A database of an earlier version has no such table yet.
    const isThere = names.length < all.length;
    const facts = await whatIsThere(client);
    // Last, so that its file is this backup's own once this returns, and only then.
    const keys = keysTo === null || !isThere ? null : await writeKeys(client, keysTo, id, onChunk);
    return { ...facts, tables, keys: isThere ? keys : undefined };
  } finally {
    await client.end();
  }
}

async function whatIsThere(client: Client): Promise<Omit<Stores, 'tables' | 'keys'>> {
  const migrations = await client.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY id');
  return { migrations: migrations.rows.map(({ name }) => name), ...(await eventsIn(client)) };
}

async function makeEmptyFolder(path: string): Promise<void> {
  await makeFolder(path);
  if ((await readdir(path)).length > 0) throw new CannotCopy(`${path} is not empty: name a folder that is`);
  await mkdir(join(path, tablesFolder), { mode: 0o700 });
}
