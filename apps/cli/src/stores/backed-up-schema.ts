import { readStore } from '@app/composition';
import { Database, migrate, readStoreMigrations } from '@app/read-store';
import { makeEventTables } from './copy-database';

const known = [...readStoreMigrations, ...readStore.migrations];

/** The schema that a backed-up database had, for `parley restore`. */
export const backedUpSchema = { migrations: known.map(({ name }) => name), makeTables };

/** Creates the schema that the backed-up database had, so that its rows fit; the next start upgrades it. */
async function makeTables(url: string, names: readonly string[]): Promise<void> {
  const migrations = known.filter(({ name }) => names.includes(name));
  const database = await Database.connect({ url, poolSize: 2, rows: [], migrations });
  try {
    await migrate(database);
  } finally {
    await database.close();
  }
  await makeEventTables(url);
}
