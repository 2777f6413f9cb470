import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes a file for the folder's owner only (0600), whole or not at all. */
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

/** The JSON of a file, or null when there is none. Throws when it is not JSON. */
export async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  const value: unknown = text === null ? null : JSON.parse(text);
  return value;
}
