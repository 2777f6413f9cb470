import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The smallest `sun_path` of our systems (macOS: 104) less its terminating zero. */
const socketPathBytesMax = 103;
/** A new name for each start, because a killed start's event store may end after we begin, and removes its socket's name. */
const socketFile = `events-${process.pid}.sock`;
const anySocketFile = /^events-\d+\.sock$/;

/**
 * Returns a path for the event store's socket that fits a socket address, in a folder that only we can enter: in the data folder or, always
 * the same one for a data folder, below the temporary folder. The remains of a killed process there are removed. Call it only while holding
 * the data folder. Throws when another process has the folder.
 */
export async function socketPathFor(dataDir: string): Promise<string> {
  const name = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16);
  const folders = [join(resolve(dataDir), 'run'), join(tmpdir(), `parley-${name}`), join('/tmp', `parley-${name}`)];
  const folder = folders.find((candidate) => Buffer.byteLength(join(candidate, socketFile)) <= socketPathBytesMax);
  if (folder === undefined) throw new Error('no folder has a path that is short enough for a socket');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await lstat(folder);
  const isOurs = found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  if (!isOurs) throw new Error(`${folder} is not a folder of this user's only: remove it`);
  for (const name of await readdir(folder)) if (anySocketFile.test(name)) await rm(join(folder, name), { force: true });
  return join(folder, socketFile);
}
