import { embeddedDatabaseName, embeddedPostgresFolder } from '@app/data-folder';
import { DataFolderInUse, startEmbeddedPostgres } from '@app/embedded-postgres';
import { startEventStoreServer } from '@app/event-store-server';
import type { Configuration } from '@app/settings';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandFailed, exitCodes } from '../terminal/outcome';

/** A database that was started for the command. */
export interface OpenDatabase {
  readonly databaseUrl: string;
  close(this: void): Promise<void>;
}

/** The stores that events are migrated from. No other process can write to them until they are closed. */
export interface MigrationSource extends OpenDatabase {
  readonly eventStoreUrl: string;
}

type Undo = () => Promise<unknown>;

/**
 * Opens the database (DATABASE_URL, or the one of the data folder, under the folder's lock) and its embedded event store, under the store's
 * writer lock; or uses an event store by URL, which cannot be locked.
 * @throws CommandFailed when the service runs on them
 */
export async function openSource({ env }: Configuration, from: string | undefined): Promise<MigrationSource> {
  const undo: Undo[] = [];
  const close = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
  };
  try {
    const databaseUrl = env.DATABASE_URL ?? (await embeddedDatabase(env.PARLEY_DATA_DIR, undo));
    return { databaseUrl, eventStoreUrl: from ?? (await embeddedStore(databaseUrl, undo)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Starts the PostgreSQL of a data folder, under the folder's lock. @throws CommandFailed when the service runs on it */
export async function openEmbeddedDatabase(dataDir: string): Promise<OpenDatabase> {
  const folder = embeddedPostgresFolder(dataDir);
  if (!existsSync(folder)) throw new CommandFailed(`${dataDir} holds no database: set PARLEY_DATA_DIR or DATABASE_URL`);
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: folder });
    return { databaseUrl: await postgres.owned(embeddedDatabaseName), close: () => postgres.stop() };
  } catch (error) {
    if (!(error instanceof DataFolderInUse)) throw error;
    const holder = error.pid === undefined ? 'another process' : `process ${error.pid}`;
    throw new CommandFailed(`${dataDir} is in use by ${holder}: stop the service first`);
  }
}

async function embeddedDatabase(dataDir: string, undo: Undo[]): Promise<string> {
  const { databaseUrl, close } = await openEmbeddedDatabase(dataDir);
  undo.push(close);
  return databaseUrl;
}

async function embeddedStore(databaseUrl: string, undo: Undo[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-migrate-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const server = await startEventStoreServer({ databaseUrl, listen: { socketPath: join(folder, 'events.sock') } });
  undo.push(() => server.close());
  return server.address;
}

/** Makes Ctrl-C end the stores as well; the next run finds, or undoes, the work done by then. */
export function endTidily(source: OpenDatabase): void {
  const end = (): void => void source.close().finally(() => process.exit(exitCodes.failed));
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
}
