import { readMoveTarget } from '@app/event-migration';
import { Database } from '@app/read-store';
import { CommandFailed } from '../terminal/outcome';
import { placeInWords } from '../terminal/place-in-words';

const whatItCopies =
  'parley backup copies the events together with the database that holds them, of one instant, and nothing else: ' +
  'back the event store up with its own tools first, then the database with those of PostgreSQL, and keep artifacts and secrets of the data folder';

/**
 * Refuses a deployment that one snapshot of one database cannot hold, and says how to copy it instead. Changes nothing.
 * @throws CommandFailed, Unavailable
 */
export async function refuseUncopiable(eventStoreUrl: string | undefined, databaseUrl: string): Promise<void> {
  refuseElsewhere(eventStoreUrl);
  const database = await Database.connect({ url: databaseUrl, poolSize: 1, rows: [], migrations: [] });
  try {
    const { product, events, named } = await tablesIn(database);
    if (!product)
      throw new CommandFailed(
        'the database holds nothing of the service: set PARLEY_DATA_DIR, or DATABASE_URL, to one that does',
      );
    const moved = await readMoveTarget(databaseUrl);
    if (moved !== null) throw new CommandFailed(`the events were migrated to ${moved}: ${whatItCopies}`);
    if (!events || (named && !(await hasLog(database))))
      throw new CommandFailed(
        `the database holds no events: they are in the store that EVENTSTORE_URL of the service names; ${whatItCopies}`,
      );
  } finally {
    await database.close();
  }
}

/** Refuses an event store that is not in the database. @throws CommandFailed */
export function refuseElsewhere(eventStoreUrl: string | undefined): void {
  // The embedded event store of npm start listens on a socket of the data folder.
  if (eventStoreUrl !== undefined && !eventStoreUrl.startsWith('unix:'))
    throw new CommandFailed(`the events are in another event store (${placeInWords(eventStoreUrl)}): ${whatItCopies}`);
}

async function tablesIn(database: Database) {
  const [found] = await database.query<{ product: boolean; events: boolean; identity: boolean }>(
    `SELECT to_regclass('schema_migrations') IS NOT NULL AS product, to_regclass('event_store.events') IS NOT NULL AS events,
       to_regclass('log_identity') IS NOT NULL AS identity`,
  );
  const [row] =
    found?.identity === true ? await database.query('SELECT 1 FROM log_identity WHERE origin IS NOT NULL') : [];
  return { product: found?.product === true, events: found?.events === true, named: row !== undefined };
}

/** Whether the database holds the log's stream. A database that was named by a log does, unless its events are elsewhere. */
async function hasLog(database: Database): Promise<boolean> {
  const rows = await database.query(`SELECT 1 FROM event_store.events WHERE stream = 'audit-checkpoints' LIMIT 1`);
  return rows.length > 0;
}
