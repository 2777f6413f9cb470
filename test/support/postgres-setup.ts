import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// Jest's global setup knows no module aliases.
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../libs/stores/embedded-postgres/src';
import { beginAnswers, tellAnswers } from '../../libs/testing/src/answers';
import { TEST_POSTGRES_URL } from '../../libs/testing/src/postgres';

const PREFIX = 'parley-test-pg-';
/** A file system in memory, on Linux. Creating a database creates a thousand files, which is a sixth of the server's work. */
const MEMORY = '/dev/shm';
/** Free bytes that it must have; a whole run takes 1 GiB. */
const MEMORY_FREE_MIN = 8 * 1024 ** 3;
/** A run that has not even locked its folder after this time never will. */
const ABANDONED_MS = 3_600_000;

interface Running {
  server: EmbeddedPostgres;
  dataDir: string;
}

let running: Running | undefined;

/**
 * Jest's globalSetup: one PostgreSQL for all workers of the run, with its data in a temporary folder, in memory if there is space, and
 * without any durability. It ends with this jest process, killed or not; the next run removes the folder of a killed one.
 */
export default async function startTestPostgres(): Promise<void> {
  beginAnswers();
  if (process.env[TEST_POSTGRES_URL]) return;
  await removeAbandoned();
  const dataDir = await mkdtemp(join((await hasMemory()) ? MEMORY : tmpdir(), PREFIX));
  const server = await startEmbeddedPostgres({
    dataDir,
    settings: { max_connections: '400', fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  });
  running = { server, dataDir };
  process.env[TEST_POSTGRES_URL] = server.url('postgres');
}

/** Called by jest's globalTeardown; does nothing when no server was started. */
export async function stopTestPostgres(): Promise<void> {
  tellAnswers();
  if (running === undefined) return;
  const { server, dataDir } = running;
  running = undefined;
  await server.stop();
  await rm(dataDir, { recursive: true });
}

async function hasMemory(): Promise<boolean> {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = await statfs(MEMORY);
  return bavail * bsize >= MEMORY_FREE_MIN;
}

async function removeAbandoned(): Promise<void> {
  for (const parent of [tmpdir(), MEMORY].filter(existsSync)) {
    for (const name of await readdir(parent)) {
      const path = join(parent, name);
      if (!name.startsWith(PREFIX) || (await isInUse(path))) continue;
      await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(
        () => undefined, // another run removes it as well, or its server still ends: the next run removes the remainder
      );
    }
  }
}

async function isInUse(dataDir: string): Promise<boolean> {
  try {
    if ((await stat(dataDir)).uid !== process.getuid?.()) return true;
    const lock = await readFile(join(dataDir, 'lock'), 'utf8').catch(() => '');
    const pid = Number.parseInt(lock, 10);
    // Not locked yet, or just being locked: the file exists before it contains the number.
    if (Number.isNaN(pid)) return Date.now() - (await stat(dataDir)).mtimeMs < ABANDONED_MS;
    process.kill(pid, 0);
    return true;
  } catch {
    // Its process, or the folder itself, is gone.
    return false;
  }
}
