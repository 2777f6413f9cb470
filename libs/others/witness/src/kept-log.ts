import { hash } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readJson, syncFolder, writeDurably } from '@app/data-folder';
import { isJsonObject } from '@app/kernel';
import { noteText, parseExtendedCheckpoint, parseNote, type Checkpoint, type Note } from '@app/transparency';

/** The last signed tree head of one log, with the time of the witness's signature. */
export interface KeptCheckpoint {
  readonly checkpoint: Checkpoint;
  /** The note with the signatures of the log. */
  readonly note: Note;
  /** Unix time. */
  readonly seconds: number;
}

/** Names a log in files and addresses: SHA-256 of its origin. Source: C2SP tlog-witness, "Monitor Retrieval Mechanism". */
export function originHash(origin: string): string {
  return hash('sha256', origin, 'hex');
}

/** Returns a log's stored state, or null. @throws for another content: a witness that forgot would sign a fork */
export async function readKept(folder: string, origin: string): Promise<KeptCheckpoint | null> {
  const path = join(folder, fileOf(origin));
  const damaged = new Error(`${path} is damaged: this witness cannot know what it signed of ${origin}`);
  const value = await readJson(path).catch((error: unknown) => {
    throw error instanceof SyntaxError ? damaged : error;
  });
  if (value === null) return null;
  const { note: text, seconds } = isJsonObject(value) ? value : {};
  const note = typeof text === 'string' ? parseNote(text) : null;
  const checkpoint = note && parseExtendedCheckpoint(note.text);
  if (note === null || checkpoint?.origin !== origin || !Number.isSafeInteger(seconds)) throw damaged;
  return { checkpoint, note, seconds: Number(seconds) };
}

/** The origins of all logs with a stored state, sorted; a file that cannot be read is named by its path. */
export async function keptOrigins(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const found: string[] = [];
  for (const name of names.filter((one) => /^[0-9a-f]{64}\.json$/.test(one))) {
    const path = join(folder, name);
    const value = await readJson(path).catch(() => null); // named below
    const origin = isJsonObject(value) ? value['origin'] : null;
    found.push(typeof origin === 'string' && fileOf(origin) === name ? origin : path);
  }
  return found.sort();
}

/** Stores it in place of the previous state; after it returns, the state survives a crash. */
export async function keep(folder: string, { checkpoint, note, seconds }: KeptCheckpoint): Promise<void> {
  await makeFolder(folder);
  const content = { origin: checkpoint.origin, note: noteText(note), seconds };
  await writeDurably(folder, fileOf(checkpoint.origin), `${JSON.stringify(content, null, 2)}\n`);
}

/** Creates a folder for its owner only, in an existing one, so that it survives a crash. */
export async function makeFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined) await syncFolder(dirname(folder));
}

function fileOf(origin: string): string {
  return `${originHash(origin)}.json`;
}
