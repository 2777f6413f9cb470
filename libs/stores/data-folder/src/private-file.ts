import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from './usable-folder';

/** Writes a file that only its owner can read and write (0600), completely or not at all. */
export async function writePrivate(folder: string, name: string, content: object): Promise<void> {
  await makeFolder(folder);
  await writeDurably(folder, name, `${JSON.stringify(content, null, 2)}\n`);
}

/**
 * Writes a file that only its owner can read and write (0600), completely or not at all; after it returns, the file survives a crash.
 * At most one call at a time for each name.
 */
export async function writeDurably(folder: string, name: string, text: string): Promise<void> {
  const unfinished = join(folder, `.${name}.unfinished`);
  const file = await open(unfinished, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, join(folder, name));
  await syncFolder(folder);
}

/** Makes sure that the names in a folder survive a crash. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Returns the parsed JSON of a file, or null when there is none. Throws when it is not JSON. */
export async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  const value: unknown = text === null ? null : JSON.parse(text);
  return value;
}
