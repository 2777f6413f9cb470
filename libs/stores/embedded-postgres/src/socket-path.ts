import { lstat, mkdtemp, rmdir, symlink, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { DataFolder } from './data-folder';
import { errorCode, readIfThere } from './files';
import { SOCKET_FILE } from './settings';

/** `sun_path` has 108 bytes on Linux and 104 on macOS, the last of them zero. */
const SOCKET_PATH_BYTES_MAX = process.platform === 'darwin' ? 103 : 107;
/** File that records the folder made below, so that the next start can remove it after a kill -9. */
const RECORD_FILE = 'socket-link';
const PREFIX = 'parley-pg-';
const LINK = 's';

/** The folder in which clients find the socket. */
export interface SocketFolder {
  path: string;
  remove(): Promise<void>;
}

/**
 * The cluster itself, in which the server has its socket, when that path fits into a socket address. Otherwise a short path to it: a
 * symbolic link in a new folder (0700) under the temporary folder. The server does not notice the difference.
 */
export async function socketFolder(folder: DataFolder): Promise<SocketFolder> {
  const recorded = (await readIfThere(join(folder.path, RECORD_FILE)))?.trim();
  if (recorded) await removeLinkFolder(recorded);
  if (fits(folder.cluster)) return { path: folder.cluster, remove: () => Promise.resolve() };

  const parent = [tmpdir(), '/tmp'].find((candidate) => fits(join(candidate, `${PREFIX}XXXXXX`, LINK)));
  const made = await mkdtemp(join(parent ?? '/tmp', PREFIX));
  await folder.write(RECORD_FILE, `${made}\n`);
  await symlink(folder.cluster, join(made, LINK));
  return { path: join(made, LINK), remove: () => removeLinkFolder(made) };
}

function fits(path: string): boolean {
  return Buffer.byteLength(join(path, SOCKET_FILE)) <= SOCKET_PATH_BYTES_MAX;
}

/** Removes what `socketFolder` made, and nothing else: the record may be old, and its name used by another program. */
async function removeLinkFolder(path: string): Promise<void> {
  try {
    const found = await lstat(path);
    if (!basename(path).startsWith(PREFIX) || !found.isDirectory() || found.uid !== process.getuid?.()) return;
    await unlink(join(path, LINK)).catch(ignoreAbsent);
    await rmdir(path);
  } catch (error) {
    ignoreAbsent(error);
  }
}

function ignoreAbsent(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error;
}
