import { Client } from 'pg';
import { heldConnection, noticeLostClient, Unavailable } from '@app/kernel';
import { answering, type Database } from './database';
import { leaderLocks } from './leadership';

/** The database was migrated by a newer version of the product than this one. */
class SchemaTooNew extends Error {}

/**
 * Brings the schema to this version, under an advisory lock, since TypeORM takes none.
 * @throws SchemaTooNew when the database knows a migration that this version does not
 * @throws Unavailable when PostgreSQL does not answer, or the lock is lost on the way
 */
export async function migrate(database: Database, onStep?: (name: string) => void): Promise<void> {
  // A connection of its own: the lock must be held while the pool's connections do the work.
  const holder = new Client({ connectionString: database.url, ...heldConnection });
  let lost: Error | null = null;
  holder.on('error', (error) => (lost = error));
  await answering(() => holder.connect());
  try {
    await answering(() => holder.query(noticeLostClient));
    await answering(() => holder.query('SELECT pg_advisory_lock($1)', [leaderLocks.migrations]));
    await refuseNewerSchema(database);
    for (const migration of await answering(() => database.source.runMigrations())) onStep?.(migration.name);
    if (lost !== null) throw new Unavailable('database', { cause: lost });
  } finally {
    await holder.end();
  }
}

async function refuseNewerSchema(database: Database): Promise<void> {
  const [table] = await database.query<{ name: string | null }>(
    "SELECT to_regclass('schema_migrations')::text AS name",
  );
  if (!table?.name) return;
  const known = new Set(database.source.migrations.map(({ name, constructor }) => name ?? constructor.name));
  const applied = await database.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY id');
  const unknown = applied.filter(({ name }) => !known.has(name)).map(({ name }) => name);
  if (unknown.length > 0) {
    throw new SchemaTooNew(
      `the database has migrations that this version does not know (${unknown.join(', ')}); start a newer version`,
    );
  }
}
