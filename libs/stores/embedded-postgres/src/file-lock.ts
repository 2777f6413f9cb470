import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from './files';
import { run } from './run';

const holderReadTriesMax = 10;
const holderReadPauseMs = 20;
/** BSD's flag to take a `flock` while opening; Node has no name for it. */
const darwinExclusiveLock = 0x20;
/** Another living process holds the lock; `pid` is that process, when it is known. */
export interface LockHolder {
  readonly pid: number | undefined;
}

/**
 * Locks a file for this process and writes its pid there, or returns the holder of the lock. The kernel holds the lock, on the open file:
 * it ends with this process however that ends, so a dead process cannot hold it. It lasts as long as the file stays open.
 */
export async function takeLock(file: string): Promise<FileHandle | LockHolder> {
  const lock = await openLocked(file);
  if (lock === undefined) return { pid: await holderOf(file) };
  await lock.truncate(0);
  await lock.write(`${process.pid}\n`, 0);
  return lock;
}

/** The lock file, locked for as long as it stays open; undefined when another process has the lock. */
async function openLocked(file: string): Promise<FileHandle | undefined> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
  if (process.platform === 'darwin') {
    return open(file, flags | darwinExclusiveLock | constants.O_NONBLOCK, 0o600).catch((error: unknown) => {
      if (errorCode(error) === 'EAGAIN') return undefined;
      throw error;
    });
  }
  const handle = await open(file, flags, 0o600);
  try {
    if (await lockByFlock(file, handle)) return handle;
  } catch (error) {
    await handle.close();
    if (errorCode(error) === 'ENOENT') throw new Error('flock (of util-linux) is needed and was not found in PATH.');
    throw error;
  }
  await handle.close();
  return undefined;
}

/** Node cannot flock. The lock belongs to the open file that flock(1) inherits from us, and remains when flock(1) ends. */
async function lockByFlock(file: string, { fd }: FileHandle): Promise<boolean> {
  const { code, output } = await run('flock', ['-n', '3'], { inherited: { fd, as: 'fd3' } });
  if (code !== 0 && code !== 1) throw new Error(`flock failed on ${file}: ${output}`);
  return code === 0;
}

/** Returns the pid of the lock's holder, and waits a moment for a holder that has not written it yet. */
async function holderOf(file: string): Promise<number | undefined> {
  for (let attempt = 0; attempt < holderReadTriesMax; attempt++) {
    const handle = await open(file, 'r');
    const text = await handle.readFile('utf8').finally(() => handle.close());
    const pid = Number.parseInt(text, 10);
    if (pid > 0 && isAlive(pid)) return pid;
    await sleep(holderReadPauseMs);
  }
  return undefined;
}

/** Whether a process of this id exists, ours or not, a zombie or not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM'; // another user's process may not be signalled, but exists
  }
}
