import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** Makes a folder (0700) where it is missing, and makes sure that files can be written into it. Throws the system's error when not. */
export async function ensureFolder(path: string): Promise<void> {
  await makeFolder(path);
  const probe = join(path, `.writable-${process.pid}`);
  const file = await open(probe, 'w', 0o600);
  await file.close();
  await rm(probe);
}

/**
 * Makes a folder (0700) where it is missing, and those above it. Step by step: Node's own `recursive` never comes to an end where the system
 * says ENOENT of a folder whose parent is there (/proc). Throws the system's error when it cannot be made.
 */
export async function makeFolder(path: string): Promise<void> {
  await make(resolve(path));
}

async function make(path: string): Promise<void> {
  const isThere = async (folder: string): Promise<boolean> =>
    stat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    );
  if (await isThere(path)) return;
  if (dirname(path) !== path) await make(dirname(path));
  await mkdir(path, { mode: 0o700 }).catch(async (error: unknown) => {
    // Another process may have made it meanwhile.
    if (!(await isThere(path))) throw error;
  });
}
