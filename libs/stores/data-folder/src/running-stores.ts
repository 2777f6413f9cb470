import { readFileSync } from 'node:fs';
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
  const { pid } = process;
  const record = { pid, began: beginOf(pid), databaseUrl, eventStoreUrl, managementPort };
  await writePrivate(dataDir, runningFile, record);
}

/** Removes that record, if there is one. */
export async function removeRunningStores(dataDir: string): Promise<void> {
  await rm(join(dataDir, runningFile), { force: true });
}

/** Returns the stores of the `npm start` that runs on the folder, or null when none runs; a killed one leaves its file behind. */
export async function findRunningStores(dataDir: string): Promise<RunningStores | null> {
  const value = await readJson(join(dataDir, runningFile));
  const { pid, began, databaseUrl, eventStoreUrl, managementPort } = isJsonObject(value) ? value : {};
  if (typeof databaseUrl !== 'string' || typeof eventStoreUrl !== 'string') return null;
  if (typeof pid !== 'number' || typeof managementPort !== 'number') return null;
  // Another process may have the id by now, as it often does in a container that was started again.
  const isSame = typeof began !== 'string' || began === (beginOf(pid) ?? began);
  return isAlive(pid) && isSame ? { databaseUrl, eventStoreUrl, managementPort } : null;
}

/** When a process began, in ticks since the machine started, where the system says so; otherwise null. */
function beginOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name, which may contain spaces and brackets.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null; // no such process, or no such file system
  }
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
