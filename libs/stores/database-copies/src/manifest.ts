import { isJsonObject } from '@app/kernel';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CannotCopy } from './connection';

/** Written last: a folder without it holds no finished backup. */
export const manifestFile = 'backup.json';
export const artifactsFolder = 'artifacts';
export const tablesFolder = 'tables';
/** Raised when a reader of the former format could not read what is written. */
const format = 1;

/** One table in a backup: its rows in the text format of COPY, compressed. */
export interface TableInBackup {
  /** As SQL names it. */
  readonly table: string;
  /** As a statement lists them. */
  readonly columns: string;
  /** Makes the table where no migration does. */
  readonly definition: readonly string[];
  readonly rows: number;
  /** What `contentOf` answered in the snapshot. */
  readonly content: string;
  /** Hex, of the file. */
  readonly sha256: string;
}

/** What a backup holds, as its `backup.json` says. */
export interface Manifest {
  readonly format: typeof format;
  readonly takenAt: string;
  /** Names of the migrations that had been applied. */
  readonly migrations: readonly string[];
  readonly events: number;
  /** Of the newest event; 0 when there is none. */
  readonly position: number;
  readonly tables: readonly TableInBackup[];
  readonly artifacts: number;
  /** Whether the folder's generated secrets are in it. */
  readonly secrets: boolean;
}

/** A manifest of what was copied now. */
export function manifestOf(content: Omit<Manifest, 'format' | 'takenAt'>): Manifest {
  return { format, takenAt: new Date().toISOString(), ...content };
}

/** Reads what a backup holds. @throws CannotCopy when there is none, or another version wrote it */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, manifestFile), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CannotCopy(`${folder} holds no finished backup (${error.code ?? error.message} of ${manifestFile})`);
  });
  const value = parsed(text);
  if (!isJsonObject(value) || typeof value['format'] !== 'number')
    throw new CannotCopy(`${join(folder, manifestFile)} is damaged: take another copy of the backup`);
  if (value['format'] !== format)
    throw new CannotCopy(
      `the backup has format ${value['format']}, and this version reads ${format}: use the version that made it`,
    );
  // Reason for the assertion: this program wrote it, whole or not at all, in the format that it says.
  return value as unknown as Manifest;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Said by the caller, who knows the file.
    return null;
  }
}
