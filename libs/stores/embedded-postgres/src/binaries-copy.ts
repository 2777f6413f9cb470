import { chmod, copyFile, lstat, mkdir, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { constants } from 'node:fs';
import { join } from 'node:path';
import { errorCode, statIfThere } from './files';

/** A partial copy of this age is abandoned. */
const COPY_ABANDONED_MS = 10 * 60_000;

/**
 * `<parent>/<name>/native`: a copy of the folder `native` that every user can read and only we can change. It is made in a temporary
 * folder, flushed to disk and renamed, so that it is complete or absent. Symbolic links and static libraries are left out. Throws when the
 * place belongs to another user, who could plant programs there.
 */
export async function ensureCopy(native: string, parent: string, name: string): Promise<string> {
  await mkdir(parent, { recursive: true });
  await mustBeOurs(parent);
  const copy = join(parent, name);
  if ((await statIfThere(copy)) === undefined) {
    await chmod(parent, 0o755);
    await removeAbandoned(parent);
    const making = await mkdtemp(join(parent, `${name}.new-`));
    try {
      await chmod(making, 0o755);
      await copyTree(native, join(making, 'native'));
      await rename(making, copy);
    } catch (error) {
      await rm(making, { recursive: true, force: true });
      const madeByAnother = ['EEXIST', 'ENOTEMPTY'].includes(errorCode(error) ?? '');
      if (!madeByAnother) throw error;
    }
  }
  await mustBeOurs(copy);
  return join(copy, 'native');
}

async function mustBeOurs(path: string): Promise<void> {
  const found = await lstat(path);
  const othersMayWrite = (found.mode & 0o022) !== 0;
  if (!found.isDirectory() || found.uid !== process.getuid?.() || othersMayWrite) {
    throw new Error(`${path} is not a folder that only this user can write`);
  }
}

async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) await copyTree(source, target);
    else if (entry.isFile() && !entry.name.endsWith('.a')) await copyThrough(source, target);
  }
}

async function copyThrough(source: string, target: string): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_FICLONE);
  const executable = ((await stat(source)).mode & 0o100) !== 0;
  await chmod(target, executable ? 0o755 : 0o644);
  const file = await open(target, 'r');
  await file.sync().finally(() => file.close());
}

async function removeAbandoned(parent: string): Promise<void> {
  for (const entry of await readdir(parent)) {
    const path = join(parent, entry);
    const abandoned = entry.includes('.new-') && Date.now() - (await stat(path)).mtimeMs > COPY_ABANDONED_MS;
    if (abandoned) await rm(path, { recursive: true, force: true });
  }
}
