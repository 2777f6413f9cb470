import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '@app/kernel';
import { readJson, writePrivate } from './private-file';

/** Addresses of the stores of a running `npm start`, for commands that work on them, and its management port. */
export interface RunningStores {
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  readonly managementPort: number;
}

const runningFile = 'running.json';

/** Records the addresses of this process's stores in the data folder (0600, because the URLs contain passwords). */
export async function writeRunningStores(dataDir: string, stores: RunningStores): Promise<void> {
  const { databaseUrl, eventStoreUrl, managementPort } = stores;
  await writePrivate(dataDir, runningFile, { pid: process.pid, databaseUrl, eventStoreUrl, managementPort });
}

/** Removes that record, if there is one. */
export async function removeRunningStores(dataDir: string): Promise<void> {
  await rm(join(dataDir, runningFile), { force: true });
}

/** Returns the stores of the `npm start` that runs on the folder, or null when none runs; a killed one leaves its file behind. */
export async function findRunningStores(dataDir: string): Promise<RunningStores | null> {
  const value = await readJson(join(dataDir, runningFile));
  const { pid, databaseUrl, eventStoreUrl, managementPort } = isJsonObject(value) ? value : {};
  if (typeof databaseUrl !== 'string' || typeof eventStoreUrl !== 'string') return null;
  if (typeof pid !== 'number' || typeof managementPort !== 'number') return null;
  return isAlive(pid) ? { databaseUrl, eventStoreUrl, managementPort } : null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process may not be signalled, but exists.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
