import { constants } from 'node:fs';
import { chmod, chown, mkdir, open, readdir, realpath, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from './files';
import { run } from './run';

const LOCK_FILE = 'lock';
const CLUSTER_FOLDER = 'cluster';
const HOLDER_READ_TRIES_MAX = 10;
const HOLDER_READ_PAUSE_MS = 20;
/** BSD's flag to take a `flock` while opening; Node has no name for it. */
const DARWIN_O_EXLOCK = 0x20;

/** The data folder belongs to another launcher that is alive; `pid` is its process, when it can be told. */
export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse';

  constructor(
    readonly dataDir: string,
    readonly pid: number | undefined,
  ) {
    super(
      `The data folder ${dataDir} is in use by ${pid === undefined ? 'another process' : `process ${pid}`}: ` +
        'stop that one first, or choose another data folder.',
    );
  }
}

/** The data folder cannot be used as it is; the message is one sentence that says why, and what its owner can do. */
export class DataFolderUnusable extends Error {
  override readonly name = 'DataFolderUnusable';
}

export interface DataFolder {
  /** Absolute, without symbolic links. */
  readonly path: string;
  /** PostgreSQL's own data directory; absent before the first start. */
  readonly cluster: string;
  /** Creates or replaces a file for the folder's owner only (0600), written through to the disk. */
  write(name: string, content: string): Promise<void>;
  /** Gives the folder free for the next launcher. */
  release(): Promise<void>;
}

/**
 * Creates the folder (0700) where it is missing and takes it for this process alone.
 * The lock is the kernel's, on an open file: it ends with this process however that ends, so no dead launcher can
 * hold it. Throws DataFolderInUse when a living one does; throws DataFolderUnusable when the folder
 * holds something else than our data.
 */
export async function lockDataFolder(dataDir: string): Promise<DataFolder> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = await realpath(dataDir);
  const entries = await readdir(path);
  if (entries.length > 0 && !entries.includes(LOCK_FILE) && !entries.includes(CLUSTER_FOLDER)) {
    throw new DataFolderUnusable(
      `${path} is not empty and was not made by this program: move what is in it elsewhere, or choose another data folder`,
    );
  }
  const owner = await stat(path);
  const adopt = async (file: string): Promise<void> => {
    // A folder that root uses for someone else stays usable by its owner.
    if (process.getuid?.() === 0) await chown(file, owner.uid, owner.gid);
  };
  const lock = await acquireLock(path, join(path, LOCK_FILE));
  await adopt(join(path, LOCK_FILE));
  await chmod(path, 0o700);

  return {
    path,
    cluster: join(path, CLUSTER_FOLDER),
    write: async (name, content) => {
      const file = await open(join(path, name), 'w', 0o600);
      try {
        await file.writeFile(content);
        await file.sync();
      } finally {
        await file.close();
      }
      await adopt(join(path, name));
    },
    release: () => lock.close(),
  };
}

async function acquireLock(dataDir: string, file: string): Promise<FileHandle> {
  const lock = await openLocked(file);
  if (lock === undefined) throw new DataFolderInUse(dataDir, await holderOf(file));
  await lock.truncate(0);
  await lock.write(`${process.pid}\n`, 0);
  return lock;
}

/** The lock file, locked for as long as it stays open; undefined when someone else has it. */
async function openLocked(file: string): Promise<FileHandle | undefined> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
  if (process.platform === 'darwin') {
    return open(file, flags | DARWIN_O_EXLOCK | constants.O_NONBLOCK, 0o600).catch((error: unknown) => {
      if (errorCode(error) === 'EAGAIN') return undefined;
      throw error;
    });
  }
  const handle = await open(file, flags, 0o600);
  try {
    // Node cannot flock. The lock lies on the open file that flock(1) inherits from us, and stays when flock(1) ends.
    const { code, output } = await run('flock', ['-n', '3'], { inherited: { fd: handle.fd, as: 'fd3' } });
    if (code === 0) return handle;
    if (code !== 1) throw new Error(`flock failed on ${file}: ${output}`);
  } catch (error) {
    await handle.close();
    if (errorCode(error) === 'ENOENT') throw new Error('flock (of util-linux) is needed and was not found in PATH.');
    throw error;
  }
  await handle.close();
  return undefined;
}

/** Who holds the lock. A holder that has not yet written its pid is given a moment to do so. */
async function holderOf(file: string): Promise<number | undefined> {
  for (let attempt = 0; attempt < HOLDER_READ_TRIES_MAX; attempt++) {
    const handle = await open(file, 'r');
    const text = await handle.readFile('utf8').finally(() => handle.close());
    const pid = Number.parseInt(text, 10);
    if (pid > 0 && isAlive(pid)) return pid;
    await sleep(HOLDER_READ_PAUSE_MS);
  }
  return undefined;
}

/** Whether a process of this id exists, ours or not, a zombie or not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
