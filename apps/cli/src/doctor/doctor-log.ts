import { compareStores, howToResume, type StoresCompared } from '@app/audit';
import { describeFailure, readStore } from '@app/composition';
import { connectEventStore, EventStore } from '@app/event-store';
import { Unavailable } from '@app/kernel';
import { Database, pendingMigrations, readStoreMigrations } from '@app/read-store';
import type { Configuration } from '@app/settings';
import { finding, type Finding } from './doctor-finding';
import { storesOf } from './doctor-stores';

/** Whether both stores belong to one deployment, and whether its log signs. Empty when that is not known. Changes nothing. */
export async function logFindings(configuration: Configuration): Promise<readonly Finding[]> {
  const compared = await storesCompared(configuration);
  if (compared === null) return [];
  const { origin, apart, hold } = compared;
  if (apart !== null) return [finding('stores', 'bad', apart)];
  const stores = finding('stores', 'ok', `both of ${origin ?? 'no deployment yet'}`);
  if (hold === null) return [stores];
  return [stores, finding('log', 'warning', `signs nothing: ${hold.says}; ${howToResume}`)];
}

/** The name of the log that both stores belong to; null when that is not known. */
export async function logOrigin(configuration: Configuration): Promise<string | null> {
  const compared = await storesCompared(configuration);
  return compared === null || compared.apart !== null ? null : compared.origin;
}

/** Null when a store is unavailable or of another version, which other checks report. */
async function storesCompared(configuration: Configuration): Promise<StoresCompared | null> {
  const { databaseUrl, eventStoreUrl } = (await storesOf(configuration)) ?? {};
  if (databaseUrl === undefined || eventStoreUrl === undefined) return null;
  const migrations = [...readStoreMigrations, ...readStore.migrations];
  try {
    const database = await Database.connect({ url: databaseUrl, poolSize: 2, rows: readStore.rows, migrations });
    try {
      return (await pendingMigrations(database)) > 0 ? null : await compared(database, eventStoreUrl);
    } finally {
      await database.close();
    }
  } catch (error) {
    if (error instanceof Unavailable || typeof describeFailure(error) === 'string') return null;
    throw error;
  }
}

async function compared(database: Database, eventStoreUrl: string): Promise<StoresCompared> {
  const store = new EventStore(connectEventStore(eventStoreUrl, 'catch-ups'));
  try {
    return await compareStores(database, store);
  } finally {
    await store.dispose();
  }
}
