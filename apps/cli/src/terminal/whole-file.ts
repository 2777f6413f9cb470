import { open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { CommandFailed, reasonIn } from './outcome';

/**
 * Writes a file completely or not at all: under another name, flushed to disk, then renamed, so that no part of it is taken for all of it.
 * A target that is no file, such as a pipe or a device, is written to directly. A link stays: its target is replaced.
 * @throws CommandFailed when the place cannot be written, or has no space
 */
export async function writeWhole(place: string, content: string | Uint8Array): Promise<void> {
  try {
    const target = await realpath(place).catch(() => place);
    const isOther = await stat(target).then(
      (found) => !found.isFile(),
      () => false,
    );
    await (isOther ? writeFile(target, content) : replace(target, content));
  } catch (error) {
    throw new CommandFailed(`${place} cannot be written: ${reasonIn(error)}`, { cause: error });
  }
}

async function replace(place: string, content: string | Uint8Array): Promise<void> {
  const unfinished = `${place}.unfinished`;
  try {
    const file = await open(unfinished, 'w');
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, place);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
