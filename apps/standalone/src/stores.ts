import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CannotStart } from '@app/composition';
import { embeddedDatabaseName, embeddedPostgresFolder, ensureFolder } from '@app/data-folder';
import { restoringFolder } from '@app/database-copies';
import { DataFolderInUse, DataFolderUnusable, startEmbeddedPostgres } from '@app/embedded-postgres';
import { unlessAborted } from '@app/runtime';
import type { Configuration } from '@app/settings';
import { EventStoreProcess } from './event-store-process';
import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';

const restartPauseMs = 100;

export interface Stores {
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  /** Settles when an embedded store has ended without being stopped, and cannot be restarted. */
  readonly lost: Promise<void>;
  /** Ends the stores that were started here: first the event store, which needs the database to the last. */
  stop(): Promise<void>;
}

/** Creates the data folder, and makes sure that it can be written. @throws CannotStart */
export async function ensureDataFolder({ env }: Configuration): Promise<void> {
  const { PARLEY_DATA_DIR: dataDir } = env;
  await ensureFolder(dataDir).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code ?? error.message;
    throw new CannotStart(
      `${dataDir} is no folder that can be written (${reason}): set PARLEY_DATA_DIR to one that can`,
    );
  });
  if (existsSync(join(dataDir, restoringFolder)))
    throw new CannotStart(`a restore into ${dataDir} was cut off: run parley restore again, or name another folder`);
}

/** Starts the stores that are not configured. @throws CannotStart: the folder is in use, damaged or of another user */
export async function startStores(
  { env }: Configuration,
  log: (line: string) => void,
  interrupted: AbortSignal,
): Promise<Stores> {
  const database =
    env.DATABASE_URL === undefined
      ? await startDatabase(env.PARLEY_DATA_DIR, log, interrupted)
      : given(env.DATABASE_URL);
  try {
    if (env.EVENTSTORE_URL !== undefined)
      return { ...database, databaseUrl: database.url, eventStoreUrl: env.EVENTSTORE_URL };
    const events = new EventStoreProcess(database.url, await socketPathFor(env.PARLEY_DATA_DIR), log);
    await unlessAborted(events.start(), interrupted).catch(async (error: unknown) => {
      await events.stop();
      throw error;
    });
    return {
      databaseUrl: database.url,
      eventStoreUrl: events.url,
      lost: database.lost,
      stop: async () => {
        await events.stop();
        await database.stop();
      },
    };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/** A store that we neither start nor stop. */
function given(url: string) {
  return { url, lost: new Promise<void>(() => undefined), stop: () => Promise.resolve() };
}

/** The embedded PostgreSQL; restarted at the same URL when something kills it. */
async function startDatabase(dataDir: string, log: (line: string) => void, interrupted: AbortSignal) {
  const start = (signal?: AbortSignal) =>
    startEmbeddedPostgres({ dataDir: embeddedPostgresFolder(dataDir), ...(signal && { signal }) });
  const first = await start(interrupted).catch((error: unknown) => {
    if (error instanceof DataFolderUnusable) throw new CannotStart(error.message, { cause: error });
    throw error instanceof DataFolderInUse ? inUse(dataDir, error.pid) : error;
  });
  const url = await first.owned(embeddedDatabaseName);
  let stopping = false;
  let current = Promise.resolve(first);
  const keepRunning = async (): Promise<void> => {
    for (;;) {
      await (
        await current
      ).exited;
      if (stopping) return new Promise(() => undefined);
      log('PostgreSQL ended although nobody stopped it, and is started again');
      await sleep(restartPauseMs);
      current = start();
      // With a very long path its socket is in a folder with a new name, which holders of the old URL could not find.
      if ((await (await current).owned(embeddedDatabaseName)) !== url) return;
    }
  };
  const lost = keepRunning().catch((error: unknown) => log(String(error)));
  const stop = async (): Promise<void> => {
    stopping = true;
    await (await current).stop();
  };
  return { url, lost, stop };
}

function inUse(dataDir: string, pid: number | undefined): CannotStart {
  const holder = pid === undefined ? 'another process' : `process ${pid}`;
  return new CannotStart(`${dataDir} is in use by ${holder}: stop that one, or set PARLEY_DATA_DIR to another folder`);
}

/** The smallest `sun_path` of our systems (macOS: 104) less its terminating zero. */
const socketPathBytesMax = 103;
/** A new name for each start, because a killed start's event store may end after we begin, and removes its socket's name. */
const socketFile = `events-${process.pid}.sock`;
const anySocketFile = /^events-\d+\.sock$/;

/**
 * Returns a path for the event store's socket that fits a socket address, in a folder that only we can enter: in the data folder or, always
 * the same one for a data folder, below the temporary folder. The remains of a killed process there are removed. Call it only while holding
 * the data folder. Throws when another process has the folder.
 */
async function socketPathFor(dataDir: string): Promise<string> {
  const name = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16);
  const folders = [join(resolve(dataDir), 'run'), join(tmpdir(), `parley-${name}`), join('/tmp', `parley-${name}`)];
  const folder = folders.find((candidate) => Buffer.byteLength(join(candidate, socketFile)) <= socketPathBytesMax);
  if (folder === undefined) throw new Error('no folder has a path that is short enough for a socket');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await lstat(folder);
  const isOurs = found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  if (!isOurs) throw new Error(`${folder} is not a folder of this user's only: remove it`);
  for (const name of await readdir(folder)) if (anySocketFile.test(name)) await rm(join(folder, name), { force: true });
  return join(folder, socketFile);
}
