import {
  CheckpointEvents,
  checkpointsStream,
  hiddenCheckpoints,
  hiddenFromStreams,
  keptInTables,
  LogIdentity,
  originIn,
  LogTables,
  possibleLogKeys,
} from '@app/audit';
import type { HiddenEvents, KeptLog, LogHold, StoredBytes } from '@app/audit';
import { readStore } from '@app/composition';
import { readSecrets } from '@app/data-folder';
import { connectEventStore, EventStore } from '@app/event-store';
import { quotedExactly, Unavailable } from '@app/kernel';
import { readMoveTarget } from '@app/event-migration';
import { hasStoredRows, hiddenRows, lastStoredPosition, storedRows, storedRowsOf } from '@app/event-store-server';
import { Database } from '@app/read-store';
import { Configuration } from '@app/settings';
import { verifierKeyText, type VerifierKey } from '@app/transparency';
import { openEmbeddedDatabase } from './migration-source';
import { namedStores } from './named-stores';
import { CommandFailed } from '../terminal/outcome';
import { placeInWords } from '../terminal/place-in-words';

const pageEvents = 1_000;

type CheckpointClaims = ReturnType<CheckpointEvents['result']>;

/** The log and the events in the local stores. */
export interface StoresHere {
  readonly tables: LogTables;
  kept(this: void): Promise<KeptLog>;
  checkpoints(this: void): Promise<CheckpointClaims>;
  /** All events that are stored now. */
  events(this: void): Promise<AsyncIterable<StoredBytes>>;
  /** The events of single streams that reads do not return. */
  hidden(this: void): AsyncIterable<HiddenEvents>;
  /** Why the log signs nothing; null while it may sign. */
  hold(this: void): Promise<LogHold | null>;
  /** Describes where the events are read. */
  readonly from: string;
  /** The log's key, if it belongs to this deployment's secrets; otherwise none. */
  ownSecretKeys(this: void, claims: CheckpointClaims): Promise<VerifierKey[]>;
  close(this: void): Promise<void>;
}

type Events = Pick<StoresHere, 'events' | 'hidden' | 'from'> & {
  stream(this: void): AsyncIterable<Parameters<CheckpointEvents['take']>[0]>;
  close(this: void): Promise<void>;
};

/**
 * Opens the stores that the environment names, or those of the data folder, whether or not the service runs on it. Changes nothing.
 * @throws CommandFailed when there are none, or no log, or when they are of two deployments
 */
export async function openStoresHere(configuration: Configuration): Promise<StoresHere> {
  const { databaseUrl, eventStoreUrl, running } = await namedStores(configuration);
  const stopped = databaseUrl === undefined ? await openEmbeddedDatabase(configuration.env.PARLEY_DATA_DIR) : null;
  const url = databaseUrl ?? stopped?.databaseUrl ?? '';
  const database = await Database.connect({ url, poolSize: 2, rows: readStore.rows, migrations: [] });
  const closeDatabase = async (): Promise<void> => {
    await database.close();
    await stopped?.close();
  };
  try {
    if (!(await hasTable(database, 'transparency_log')))
      throw new CommandFailed('there is no log yet: start the service in this version first');
    if (running !== 'these' && eventStoreUrl !== undefined) await refuseAnother(database, eventStoreUrl);
    const events = await eventsOf(database, eventStoreUrl);
    const tables = new LogTables(database);
    return {
      tables,
      kept: () => keptInTables(tables),
      checkpoints: () => claimsIn(events.stream()),
      events: events.events,
      hidden: events.hidden,
      hold: () => holdIn(database),
      from: events.from,
      ownSecretKeys: (claims) => ownSecretKeys(database, configuration, claims),
      close: async () => {
        await events.close();
        await closeDatabase();
      },
    };
  } catch (error) {
    await closeDatabase();
    throw error;
  }
}

/** Whether the database has a table; those of earlier versions lack some. */
async function hasTable(database: Database, name: 'log_identity' | 'transparency_log'): Promise<boolean> {
  const [found] = await database.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [name]);
  return found?.there === true;
}

async function holdIn(database: Database): Promise<LogHold | null> {
  return (await hasTable(database, 'log_identity')) ? new LogIdentity(database).hold() : null;
}

/**
 * Refuses an event store that says that it is of another deployment. One that lost events is not refused, because the verification reports
 * that, nor is one that does not answer. @throws CommandFailed
 */
async function refuseAnother(database: Database, eventStoreUrl: string): Promise<void> {
  if (!(await hasTable(database, 'log_identity'))) return;
  const { origin } = await new LogIdentity(database).row();
  const store = new EventStore(connectEventStore(eventStoreUrl, 'catch-ups'));
  try {
    const found = await originIn(store);
    if (origin !== null && typeof found === 'string' && found !== origin)
      throw new CommandFailed(
        `the event store at ${placeInWords(eventStoreUrl)} is of ${quotedExactly(found)}, and the database of ${origin}: name the stores of one deployment`,
      );
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
  } finally {
    await store.dispose();
  }
}

/** The rows of the embedded event store, bypassing any server that may hold events in memory; otherwise the answers of the event store. */
async function eventsOf(database: Database, eventStoreUrl: string | undefined): Promise<Events> {
  const query = <Row>(text: string, values: readonly unknown[]) => database.query<Row>(text, values);
  if ((await hasStoredRows(query)) && (await readMoveTarget(database.url)) === null)
    return {
      from: 'the rows of the embedded event store',
      events: async () => storedRows(query, await lastStoredPosition(query)),
      hidden: () => hiddenRows(query, Date.now()),
      stream: () => storedRowsOf(query, checkpointsStream),
      close: async () => undefined,
    };
  if (eventStoreUrl === undefined) throw new CommandFailed('there are no events here: set EVENTSTORE_URL');
  const store = new EventStore(connectEventStore(eventStoreUrl, 'catch-ups'));
  return {
    from: 'the event store at EVENTSTORE_URL',
    events: async () => eventsUpTo(store, await store.endPosition()),
    hidden: () => hiddenInStore(store, new LogTables(database)),
    stream: () => eventsOfStream(store),
    close: () => store.dispose(),
  };
}

async function* hiddenInStore(store: EventStore, tables: LogTables): AsyncGenerator<HiddenEvents> {
  const ofCheckpoints = await hiddenCheckpoints(store);
  if (ofCheckpoints !== null) yield ofCheckpoints;
  yield* hiddenFromStreams(store, tables);
}

async function* eventsUpTo(store: EventStore, end: number): AsyncGenerator<StoredBytes> {
  for (let after = 0; ;) {
    const page = await store.readAllRaw(after, pageEvents);
    for (const event of page) {
      if (event.position > end) return;
      yield event;
      after = event.position;
    }
    if (page.length === 0) return;
  }
}

async function* eventsOfStream(store: EventStore) {
  for (let from = 0; ;) {
    const page = await store.readRemaining(checkpointsStream, from, pageEvents);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    from = last.revision + 1;
  }
}

async function claimsIn(stream: ReturnType<Events['stream']>): Promise<CheckpointClaims> {
  const events = new CheckpointEvents();
  for await (const event of stream) events.take(event);
  return events.result();
}

async function ownSecretKeys(
  database: Database,
  { env }: Configuration,
  claims: CheckpointClaims,
): Promise<VerifierKey[]> {
  const { origin, formerOrigins } = claims;
  // The keys of the logs that this one was copied from are not its own; only the stream says which those are.
  const keys = claims.keys.filter((key) => !formerOrigins.some((former) => key.startsWith(`${former}+`)));
  if (origin === null || keys.length === 0) return [];
  const secret = env.PARLEY_SECRET_KEY ?? (await readSecrets(env.PARLEY_DATA_DIR))?.secretKey;
  const configuration = new Configuration({ ...env, ...(secret !== undefined && { PARLEY_SECRET_KEY: secret }) });
  const possible = await possibleLogKeys(database, configuration, origin);
  return possible.filter((key) => keys.every((one) => one === verifierKeyText(key))).slice(0, 1);
}
