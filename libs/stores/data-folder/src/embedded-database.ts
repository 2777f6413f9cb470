import { join } from 'node:path';

/** The database of the product on the embedded PostgreSQL; the embedded event store is a schema of it. */
export const embeddedDatabaseName = 'parley';

/** Where a data folder holds the embedded PostgreSQL. */
export function embeddedPostgresFolder(dataDir: string): string {
  return join(dataDir, 'postgres');
}
