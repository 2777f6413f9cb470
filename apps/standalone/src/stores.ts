import { join } from 'node:path';
import { CannotStart } from '@app/composition';
import { DataFolderInUse, ensureDatabase, startEmbeddedPostgres } from '@app/embedded-postgres';
import type { Configuration } from '@app/runtime';
import { EventStoreProcess } from './event-store-process';
import { socketPathFor } from './run-folder';

const databaseName = 'parley';

export interface Stores {
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  /** Settles when an embedded store has ended for good although nobody stopped it. */
  readonly lost: Promise<void>;
  /** Ends what was started here: the event store first, which needs the database to the last. */
  stop(): Promise<void>;
}

/** Starts PostgreSQL and the event store, each unless the configuration names one. @throws CannotStart for a data folder in use */
export async function startStores({ env }: Configuration, log: (line: string) => void): Promise<Stores> {
  const database = env.DATABASE_URL === undefined ? await startDatabase(env.PARLEY_DATA_DIR) : given(env.DATABASE_URL);
  try {
    if (env.EVENTSTORE_URL !== undefined)
      return { ...database, databaseUrl: database.url, eventStoreUrl: env.EVENTSTORE_URL };
    const events = new EventStoreProcess(database.url, await socketPathFor(env.PARLEY_DATA_DIR), log);
    await events.start();
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

/** A store that is not ours to start or to stop. */
function given(url: string) {
  return { url, lost: new Promise<void>(() => undefined), stop: () => Promise.resolve() };
}

async function startDatabase(dataDir: string) {
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: join(dataDir, 'postgres') });
    const url = postgres.url(databaseName);
    await ensureDatabase(postgres.url('postgres'), databaseName);
    return { url, lost: postgres.exited, stop: () => postgres.stop() };
  } catch (error) {
    throw error instanceof DataFolderInUse ? inUse(dataDir, error.pid) : error;
  }
}

function inUse(dataDir: string, pid: number | undefined): CannotStart {
  const holder = pid === undefined ? 'another process' : `process ${pid}`;
  return new CannotStart(`${dataDir} is in use by ${holder}: stop that one, or set PARLEY_DATA_DIR to another folder`);
}
