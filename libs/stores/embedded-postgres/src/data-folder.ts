import { chmod, chown, mkdir, open, readdir, realpath, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { takeLock } from './file-lock';

const LOCK_FILE = 'lock';
const CLUSTER_FOLDER = 'cluster';

/** The data folder belongs to another launcher that is alive; `pid` is its process, when that is known. */
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
  /** Creates or replaces a file for the folder's owner only (0600), flushed to disk. */
  write(name: string, content: string): Promise<void>;
  /** Releases the folder for the next launcher. */
  release(): Promise<void>;
}

/**
 * Creates the folder (0700) when it is missing, and locks it for this process.
 * The kernel holds the lock, on an open file: it ends with this process however that ends, so a dead launcher cannot hold it. Throws
 * DataFolderInUse when a living one does; throws DataFolderUnusable when the folder holds anything but our data.
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
    // A folder that root uses for another user stays usable by its owner.
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
  const taken = await takeLock(file);
  if ('pid' in taken) throw new DataFolderInUse(dataDir, taken.pid);
  return taken;
}
