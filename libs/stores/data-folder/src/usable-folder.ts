import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** Creates a folder (0700) when it is missing, and makes sure that files can be written into it. Throws the system's error otherwise. */
export async function ensureFolder(path: string): Promise<void> {
  await makeFolder(path);
  const probe = join(path, `.writable-${process.pid}`);
  const file = await open(probe, 'w', 0o600);
  await file.close();
  await rm(probe);
}

/**
 * Creates a folder (0700) and its parents where they are missing. Step by step, because Node's own `recursive` never returns when the
 * system reports ENOENT for a folder whose parent exists (/proc). Throws the system's error when the folder cannot be created.
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
    // Another process may have created it meanwhile.
    if (!(await isThere(path))) throw error;
  });
}
