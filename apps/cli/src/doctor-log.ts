import { compareStores, howToResume } from '@app/audit';
import { describeFailure, readStore } from '@app/composition';
import { findRunningStores } from '@app/data-folder';
import { connectEventStore, EventStore } from '@app/event-store';
import { Unavailable } from '@app/kernel';
import { Database, pendingMigrations, readStoreMigrations } from '@app/read-store';
import type { Configuration } from '@app/runtime';
import type { Finding } from './doctor-finding';

/**
 * Whether both stores are of one deployment, and whether its log signs. Says nothing where a store is away or of another version, which
 * other checks say. Changes nothing.
 */
export async function logFindings({ env }: Configuration): Promise<readonly Finding[]> {
  const running = await findRunningStores(env.PARLEY_DATA_DIR);
  const databaseUrl = env.DATABASE_URL ?? running?.databaseUrl;
  const eventStoreUrl = env.EVENTSTORE_URL ?? running?.eventStoreUrl;
  if (databaseUrl === undefined || eventStoreUrl === undefined) return [];
  const migrations = [...readStoreMigrations, ...readStore.migrations];
  try {
    const database = await Database.connect({ url: databaseUrl, poolSize: 2, rows: readStore.rows, migrations });
    try {
      return (await pendingMigrations(database)) > 0 ? [] : await compared(database, eventStoreUrl);
    } finally {
      await database.close();
    }
  } catch (error) {
    if (error instanceof Unavailable || typeof describeFailure(error) === 'string') return [];
    throw error;
  }
}

async function compared(database: Database, eventStoreUrl: string): Promise<readonly Finding[]> {
  const store = new EventStore(connectEventStore(eventStoreUrl, 'catch-ups'));
  try {
    const { origin, apart, hold } = await compareStores(database, store);
    if (apart !== null) return [{ what: 'stores', state: 'bad', says: apart }];
    const stores: Finding = { what: 'stores', state: 'ok', says: `both of ${origin ?? 'no deployment yet'}` };
    if (hold === null) return [stores];
    return [stores, { what: 'log', state: 'warning', says: `signs nothing: ${hold.says}; ${howToResume}` }];
  } finally {
    await store.dispose();
  }
}
