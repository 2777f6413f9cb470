import { makeFolder, syncFolder, systemWords } from '@app/data-folder';
import { isJsonObject, parsedJson, quotedExactly } from '@app/kernel';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Client } from 'pg';
import { CannotCopy } from './connection';
import { keysTable, type Manifest, type TableInBackup } from './manifest';
import { hashOf, notAsWritten, readRows, writeRows } from './table-files';

/** A file of keys begins with one line of JSON, at most this long; the rows of the table follow, in COPY's text format, compressed. */
const headBytesMax = 256;
const lineFeed = 10;
const nameTheKeys = 'name the file that --keys-to of the backup has written, or a copy of it';

/** The keys that a restore gets: a file, `none` if it is to go on without them, `unsaid` if nobody said. */
export type GivenKeys = { readonly file: string } | 'none' | 'unsaid';

/**
 * Refuses a place for the keys that would be overwritten, or that is in the folder of the backup: whoever has one must not have the other.
 * @throws CannotCopy
 */
export async function refuseKeysPlace(file: string, folder: string): Promise<void> {
  const below = relative(await realPlace(folder), await realPlace(file));
  if (below.split(sep)[0] !== '..')
    throw new CannotCopy(
      `${file} is in the folder of the backup: keep the keys in another place, because they expire before it`,
    );
  await refuseExisting(file);
}

async function refuseExisting(file: string): Promise<void> {
  const there = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw unwritable(file, error);
  });
  if (there !== null) throw new CannotCopy(`${file} is there already: name a file that is not`);
}

/** Returns a path as the system resolves it, also where its end does not exist yet. */
async function realPlace(path: string): Promise<string> {
  const place = resolve(path);
  const above = dirname(place);
  return realpath(place).catch(async () => (above === place ? place : join(await realPlace(above), basename(place))));
}

/** Writes the keys, as of the client's snapshot, to a file (0600), completely or not at all. @param id of the backup @throws CannotCopy */
export async function writeKeys(
  client: Client,
  file: string,
  id: string,
  onRows: (rows: number) => void,
): Promise<TableInBackup> {
  const folder = dirname(resolve(file));
  const unfinished = join(folder, `.${basename(file)}.unfinished`);
  await makeFolder(folder).catch((error: unknown) => {
    throw unwritable(file, error);
  });
  try {
    // Left by a backup that was killed.
    await rm(unfinished, { force: true });
    const written = await writeRows(client, keysTable, { path: unfinished, head: headOf(id) }, onRows);
    await refuseOtherBackup(unfinished, written, file);
    await refuseExisting(file);
    await rename(unfinished, file);
    await syncFolder(folder);
    return written;
  } catch (error) {
    // Reason for the assertion: an error without a code has none.
    const isOthers = error instanceof OtherBackup || (error as NodeJS.ErrnoException).code === 'EEXIST';
    if (isOthers) throw new OtherBackup(file);
    await rm(unfinished, { force: true }).catch(() => undefined); // the first error says why
    throw unwritable(file, error);
  }
}

/** Another backup writes its keys to the same place, and its file stays. */
class OtherBackup extends CannotCopy {
  constructor(file: string) {
    super(`another backup writes its keys to ${file}: name a file for each backup`);
  }
}

/** @throws OtherBackup when another backup took the name of the unfinished file for its own */
async function refuseOtherBackup(unfinished: string, { sha256 }: TableInBackup, file: string): Promise<void> {
  const found = await hashOf(unfinished).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null; // the other backup renamed it
    throw error;
  });
  if (found !== sha256) throw new OtherBackup(file);
}

/**
 * Checks that a restore gets the keys that belong to its backup, or nobody wants them. Returns the file to read; null for none.
 * @throws CannotCopy
 */
export async function checkKeys(manifest: Manifest, given: GivenKeys): Promise<string | null> {
  const { keys, id } = manifest;
  if (keys === undefined) {
    if (given === 'unsaid') return null;
    throw new CannotCopy(
      'the keys of the words in this backup are not apart from it, as earlier versions wrote it: leave out --keys-from and --without-keys',
    );
  }
  if (given === 'none') return null;
  if (keys === null)
    throw new CannotCopy(
      `the backup was taken without the keys of its words: say --without-keys to restore it without them${given === 'unsaid' ? '' : ', because no file of keys belongs to it'}`,
    );
  if (given === 'unsaid')
    throw new CannotCopy(
      'the keys of its words are in a file of their own: name it with --keys-from, or say --without-keys if they are gone for good, and nobody is to read the words',
    );
  if ((await hashOf(given.file, nameTheKeys)) === keys.sha256) return given.file;
  const other = (await headIn(given.file))?.id ?? id;
  throw other === id
    ? notAsWritten(given.file)
    : new CannotCopy(
        `${quotedExactly(given.file, Infinity)} holds the keys of another backup (${other}): name the file that was written with this one (${id})`,
      );
}

/** Reads the keys of a file that was checked into their empty table. @throws CannotCopy */
export async function readKeys(
  client: Client,
  keys: TableInBackup,
  file: string,
  onRows: (rows: number) => void,
): Promise<void> {
  const head = await headIn(file);
  if (head === null) throw notAsWritten(file);
  await readRows(client, keys, { path: file, start: head.bytes }, onRows);
}

function headOf(id: string): string {
  return `${JSON.stringify({ keys: 1, backup: id })}\n`;
}

/** The backup that a file of keys names, and the length of its first line; null if it has no such line. */
async function headIn(file: string): Promise<{ readonly id: string; readonly bytes: number } | null> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytesMax), 0, headBytesMax, 0);
    const end = buffer.subarray(0, bytesRead).indexOf(lineFeed);
    const head = end === -1 ? null : parsedJson(buffer.subarray(0, end).toString('utf8'));
    const id = isJsonObject(head) ? head['backup'] : null;
    return typeof id === 'string' && /^[0-9a-f-]{36}$/.test(id) ? { id, bytes: end + 1 } : null;
  } finally {
    await handle.close();
  }
}

function unwritable(file: string, error: unknown): unknown {
  const words = systemWords(error);
  return words === null ? error : new CannotCopy(`${file} cannot be written: ${words}`, { cause: error });
}
