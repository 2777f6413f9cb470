import { join } from 'node:path';

/** Name of the product's database on the embedded PostgreSQL; the embedded event store is one of its schemas. */
export const embeddedDatabaseName = 'parley';

/** Path of the embedded PostgreSQL in a data folder. */
export function embeddedPostgresFolder(dataDir: string): string {
  return join(dataDir, 'postgres');
}
