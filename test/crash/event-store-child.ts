import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** The main script of the built event store. */
export const eventStoreMain = join(__dirname, '..', '..', 'dist', 'apps', 'event-store', 'src', 'main.js');

type Child = ChildProcessByStdio<null, Readable, Readable>;

export interface EventStoreChild {
  readonly process: Child;
  /** The line that it printed when it was ready. */
  readonly line: string;
  /** The bytes in use after a full garbage collection. */
  heldBytes(): Promise<number>;
  /** Sends the signal and waits until the process has ended. Returns its exit code, null after a kill. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts the event store as a process. */
export function spawnEventStore(databaseUrl: string, listen: string, env: NodeJS.ProcessEnv = {}): Child {
  return spawn(process.execPath, ['-r', join(__dirname, 'held-bytes.cjs'), eventStoreMain], {
    env: { ...process.env, DATABASE_URL: databaseUrl, EVENT_STORE_LISTEN: listen, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Starts the event store as a process and waits until it is ready. Rejects with its last output if it ends before. */
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
  // Tests end it later on purpose; only an end before it is ready is a failure.
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
