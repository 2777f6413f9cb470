import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** The program of the process, as it is built. */
export const eventStoreMain = join(__dirname, '..', '..', 'dist', 'apps', 'event-store', 'src', 'main.js');

type Child = ChildProcessByStdio<null, Readable, Readable>;

export interface EventStoreChild {
  readonly process: Child;
  /** What it printed when it was ready. */
  readonly line: string;
  /** The bytes that it holds after a full garbage collection. */
  heldBytes(): Promise<number>;
  /** Sends the signal and waits until the process is gone; its exit code, null after a kill. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts the event store as a process. */
export function spawnEventStore(databaseUrl: string, listen: string, env: NodeJS.ProcessEnv = {}): Child {
  return spawn(process.execPath, ['-r', join(__dirname, 'held-bytes.cjs'), eventStoreMain], {
    env: { ...process.env, DATABASE_URL: databaseUrl, EVENT_STORE_LISTEN: listen, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Starts the event store as a process and waits until it is ready; rejects with its last words when it ends first. */
export async function startEventStoreChild(
  databaseUrl: string,
  listen: string,
  env: NodeJS.ProcessEnv = {},
): Promise<EventStoreChild> {
  const child = spawnEventStore(databaseUrl, listen, env);
  const exit = once(child, 'exit');
  let words = '';
  child.stderr.on('data', (chunk: Buffer) => (words = (words + chunk.toString()).slice(-2_000)));
  const ready = once(child.stdout, 'data').then(([chunk]) => String(chunk));
  const ended = exit.then(([code]) => Promise.reject(new Error(`the event store ended with ${code}: ${words}`)));
  // Ends by intention later on; only an end before it is ready is a failure.
  ended.catch(() => undefined);
  const line = await Promise.race([ready, ended]);
  return {
    process: child,
    line: line.trim(),
    heldBytes: async () => {
      const answer = once(child.stdout, 'data');
      child.kill('SIGUSR2');
      return Number(/^holds (\d+) bytes$/m.exec(String(await answer))?.[1]);
    },
    end: async (signal) => {
      child.kill(signal);
      await exit;
      return child.exitCode;
    },
  };
}
