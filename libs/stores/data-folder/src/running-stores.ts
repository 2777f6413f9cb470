import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '@app/kernel';
import { readJson, writePrivate } from './private-file';

/** Where the stores of a running `npm start` are, for a command line that is to work on them. */
export interface RunningStores {
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
}

const runningFile = 'running.json';

/** Says in the data folder (0600, the URLs hold passwords) where this process's stores are. */
export async function writeRunningStores(dataDir: string, stores: RunningStores): Promise<void> {
  const { databaseUrl, eventStoreUrl } = stores;
  await writePrivate(dataDir, runningFile, { pid: process.pid, databaseUrl, eventStoreUrl });
}

/** Takes that back, if it is there. */
export async function removeRunningStores(dataDir: string): Promise<void> {
  await rm(join(dataDir, runningFile), { force: true });
}

/** The stores of the `npm start` that runs on the folder, or null when none does: a killed one leaves its file behind. */
export async function findRunningStores(dataDir: string): Promise<RunningStores | null> {
  const value = await readJson(join(dataDir, runningFile));
  const { pid, databaseUrl, eventStoreUrl } = isJsonObject(value) ? value : {};
  if (typeof pid !== 'number' || typeof databaseUrl !== 'string' || typeof eventStoreUrl !== 'string') return null;
  return isAlive(pid) ? { databaseUrl, eventStoreUrl } : null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process may not be signalled, and is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
