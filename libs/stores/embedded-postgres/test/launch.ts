import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

export const AS_ROOT = process.getuid?.() === 0;
/** Debian's and most systems' `nobody`. */
export const NOBODY = { uid: 65_534, gid: 65_534 };
const GONE_WAIT_MAX_MS = 10_000;

export type Answer = { url: string } | { name: string; message: string; pid?: number };

export interface Launcher {
  process: ChildProcess;
  pid: number;
  /** Its output: where the server is, or why there is none. */
  answer: Promise<Answer>;
}

/** Makes temporary folders; call `remove` in `afterAll`. */
export function scratchFolders(): {
  make(owner?: { uid: number; gid: number }): Promise<string>;
  remove(): Promise<void>;
} {
  const made: string[] = [];
  return {
    make: async (owner) => {
      const path = await mkdtemp(join(tmpdir(), 'parley-spec-'));
      made.push(path);
      if (owner !== undefined) await chown(path, owner.uid, owner.gid);
      return path;
    },
    remove: async () => {
      for (const path of made) await rm(path, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Starts a program that starts PostgreSQL on `dataDir`, to be killed later. */
export function launch(dataDir: string, how: { uid?: number; gid?: number; env?: NodeJS.ProcessEnv } = {}): Launcher {
  const child = spawn(process.execPath, [join(__dirname, 'launcher.cjs'), dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...how,
  });
  // Reason for the assertion: the launcher program is ours, and prints nothing else.
  const answer = once(child.stdout, 'data').then(([chunk]) => JSON.parse(String(chunk)) as Answer);
  if (child.pid === undefined) throw new Error('The launcher could not be started.');
  return { process: child, pid: child.pid, answer };
}

/** Returns the URL that a launcher prints; throws its message otherwise. */
export async function urlFrom({ answer }: Launcher): Promise<string> {
  const said = await answer;
  if ('url' in said) return said.url;
  throw new Error(said.message);
}

/** Ends launchers with a signal and waits until they and the servers on `dataDir` are gone. */
export async function end(signal: NodeJS.Signals, launcher: Launcher, dataDir: string): Promise<void> {
  const server = postmasterOf(dataDir);
  const ended = once(launcher.process, 'exit');
  launcher.process.kill(signal);
  await ended;
  if (server !== undefined) await gone(server);
}

export function postmasterOf(dataDir: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8'), 10);
  } catch {
    // No server runs, or it has just ended.
    return undefined;
  }
}

/** Waits until a process has ended; throws when it still runs after ten seconds. */
export async function gone(pid: number): Promise<void> {
  const deadline = performance.now() + GONE_WAIT_MAX_MS;
  while (isRunning(pid)) {
    if (performance.now() > deadline) throw new Error(`Process ${pid} is still there.`);
    await sleep(10);
  }
}

/** Whether a process runs. A zombie, which waits for a parent that may never collect it, does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // There is no such process, or it ended between the two checks.
    return false;
  }
}

export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
