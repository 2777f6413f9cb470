import { readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from './file-lock';
import { errorCode, readIfThere, statIfThere } from './files';
import { run } from './run';
import { SOCKET_FILE } from './settings';

/** The signals in order, with the time to wait after each: fast shutdown, immediate shutdown, kill. */
const ENDING: readonly { signal: NodeJS.Signals; waitMs: number }[] = [
  { signal: 'SIGINT', waitMs: 15_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];
const POLL_MS = 10;
/** No system assigns this process id. */
const NOBODYS_PID = 2_147_483_647;

/**
 * Cleans up after a server that was cut off on `cluster`: processes that still run on it, a `postmaster.pid` whose number belongs to
 * another process by now, sockets. Call it with the data folder locked, so that whatever still runs there has lost its launcher. Throws
 * when a process survives SIGKILL.
 */
export async function clearRemains(cluster: string): Promise<void> {
  for (const { signal, waitMs } of ENDING) {
    const left = await serversOn(cluster);
    if (left.length === 0) break;
    for (const pid of left) endProcess(pid, signal);
    await goneWithin(cluster, waitMs);
  }
  const survivors = await serversOn(cluster);
  if (survivors.length > 0)
    throw new Error(`PostgreSQL processes on ${cluster} cannot be ended: ${survivors.join(', ')}`);

  await disownPidFile(join(cluster, 'postmaster.pid'));
  await rm(join(cluster, SOCKET_FILE), { force: true });
  await rm(join(cluster, `${SOCKET_FILE}.lock`), { force: true });
}

/** Waits until no PostgreSQL process runs on `cluster`, or the time is over. */
export async function goneWithin(cluster: string, waitMs: number): Promise<void> {
  const deadline = performance.now() + waitMs;
  while (performance.now() < deadline && (await serversOn(cluster)).length > 0) await sleep(POLL_MS);
}

/**
 * PostgreSQL considers a `postmaster.pid` valid as long as any process of ours has that number, even a zombie. No server runs on this
 * cluster any more, so the number is replaced by an unused one. The remainder of the file stays, because PostgreSQL finds the shared memory
 * to clean up there.
 */
async function disownPidFile(file: string): Promise<void> {
  const text = await readIfThere(file);
  if (text === undefined) return;
  const pid = Number.parseInt(text, 10);
  if (Number.isNaN(pid)) await rm(file);
  else if (isAlive(pid)) await writeFile(file, text.replace(/^\d+/, String(NOBODYS_PID)));
}

/** Returns the living PostgreSQL processes of this cluster; on systems other than Linux only its postmaster. */
async function serversOn(cluster: string): Promise<number[]> {
  if (process.platform !== 'linux') return postmasterByPs(cluster);
  const folder = await statIfThere(cluster);
  if (folder === undefined) return [];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: number[] = [];
  for (const pid of pids) {
    // A server's working folder is its cluster. A zombie has none, and a shell that was opened there is no server.
    if ((await readFile(`/proc/${pid}/comm`, 'utf8').catch(notOurs)) !== 'postgres\n') continue;
    const cwd = await stat(`/proc/${pid}/cwd`).catch(notOurs);
    if (cwd !== undefined && cwd.ino === folder.ino && cwd.dev === folder.dev) found.push(pid);
  }
  return found;
}

async function postmasterByPs(cluster: string): Promise<number[]> {
  const pid = Number.parseInt((await readIfThere(join(cluster, 'postmaster.pid'))) ?? '', 10);
  if (!(pid > 0)) return [];
  const { output } = await run('ps', ['-ww', '-o', 'stat=', '-o', 'command=', '-p', String(pid)]);
  return !output.startsWith('Z') && output.includes('postgres') && output.includes(cluster) ? [pid] : [];
}

function endProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

/** A process's files vanish with it, at any moment; those of another user's process are closed to us. */
const NOT_OURS: readonly (string | undefined)[] = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];

function notOurs(error: unknown): undefined {
  if (!NOT_OURS.includes(errorCode(error))) throw error;
}
