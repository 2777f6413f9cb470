import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CannotCopy } from './connection';

/** Written last: a folder without it does not contain a finished backup. */
export const manifestFile = 'backup.json';
export const artifactsFolder = 'artifacts';
export const tablesFolder = 'tables';
/**
 * Increased when a reader of the previous format could not read the new one. Format 1 also held statements, which are not read; up to format 2
 * the keys of persons' words were among the tables.
 */
const format = 3;
const formatWithKeysApart = 3;
/** The table of the keys of persons' words, which a backup holds in a file of its own or not at all. */
export const keysTable = 'public.sealing_keys';
/** Name of a table of the product, or of another table in its schemas; the file of its rows is named after it. */
const tableName = /^(public|event_store)\.([a-z_][a-z0-9_$]*|"[^"/\\\u0000]+")$/;
/** As `toISOString` writes it. */
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const readFormats: readonly unknown[] = [1, 2, format];
const backupId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** One table in a backup: its rows in the text format of COPY, compressed. */
export interface TableInBackup {
  /** Its name as in SQL. */
  readonly table: string;
  /** Its columns as a statement lists them. */
  readonly columns: string;
  readonly rows: number;
  /** The result of `contentOf` in the snapshot. */
  readonly content: string;
  /** Hex hash of the file. */
  readonly sha256: string;
}

/** The contents of a backup, stored in its `backup.json`. */
export interface Manifest {
  readonly format: number;
  /** A random UUID, which its file of keys names as well; absent up to format 2. */
  readonly id?: string;
  /** The table in its file of keys; null where it was taken without keys; absent where the keys are among the tables, or there was no such table. */
  readonly keys?: TableInBackup | null | undefined;
  readonly takenAt: string;
  /** Names of the migrations that had been applied. */
  readonly migrations: readonly string[];
  readonly events: number;
  /** Position of the newest event; 0 when there is none. */
  readonly position: number;
  readonly tables: readonly TableInBackup[];
  readonly artifacts: number;
  /** Whether it contains the folder's generated secrets. */
  readonly secrets: boolean;
}

/** Builds the manifest of a copy made now. */
export function manifestOf(content: Omit<Manifest, 'format' | 'takenAt'>): Manifest {
  return { format, takenAt: new Date().toISOString(), ...content };
}

/** Reads the manifest of a backup. @throws CannotCopy when there is none, or another version wrote it */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, manifestFile), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CannotCopy(`${folder} holds no finished backup (${error.code ?? error.message} of ${manifestFile})`);
  });
  const value = parsed(text);
  if (!isJsonObject(value) || typeof value['format'] !== 'number')
    throw new CannotCopy(`${join(folder, manifestFile)} is damaged: take another copy of the backup`);
  if (!readFormats.includes(value['format']))
    throw new CannotCopy(
      `the backup has format ${value['format']}, and this version reads ${format}: use the version that made it`,
    );
  if (!isManifest(value))
    throw new CannotCopy(`${join(folder, manifestFile)} is not what was written: take another copy of the backup`);
  return value;
}

/** Checks each text that goes into statements, paths and sentences, because somebody may have edited the backup. */
function isManifest(value: JsonObject): value is JsonObject & Manifest {
  const { takenAt, migrations, tables, artifacts, secrets } = value;
  const isTexts = Array.isArray(migrations) && migrations.every((name) => typeof name === 'string');
  const isPlain =
    typeof takenAt === 'string' && instant.test(takenAt) && isCount(artifacts) && typeof secrets === 'boolean';
  return (
    isTexts && isPlain && isCount(value['events']) && isCount(value['position']) && isTables(tables) && isApart(value)
  );
}

/** Whether the keys are where the format has them. */
function isApart({ format, id, keys, tables }: JsonObject): boolean {
  if (Number(format) < formatWithKeysApart) return id === undefined && keys === undefined;
  const isAmongTables = Array.isArray(tables) && tables.some((one) => isJsonObject(one) && one['table'] === keysTable);
  const isKeys =
    keys === null || keys === undefined || (isJsonObject(keys) && keys['table'] === keysTable && isTable(keys));
  return typeof id === 'string' && backupId.test(id) && isKeys && !isAmongTables;
}

function isTables(tables: JsonValue | undefined): boolean {
  if (!Array.isArray(tables)) return false;
  const names = tables.map((one) => (isJsonObject(one) ? one['table'] : null));
  return new Set(names).size === names.length && tables.every(isTable);
}

function isTable(one: JsonValue): boolean {
  const { table, columns, rows, content, sha256 } = isJsonObject(one) ? one : {};
  const isNamed = typeof table === 'string' && tableName.test(table);
  return (
    isNamed &&
    typeof columns === 'string' &&
    isCount(rows) &&
    [content, sha256].every((text) => typeof text === 'string')
  );
}

const isCount = (value: JsonValue | undefined): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

function parsed(text: string): JsonValue {
  try {
    // Reason for the assertion: JSON.parse returns JSON.
    return JSON.parse(text) as JsonValue;
  } catch {
    // Reported by the caller, which knows the file.
    return null;
  }
}
