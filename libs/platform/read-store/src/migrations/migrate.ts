import { Client } from 'pg';
import { heldConnection, noticeLostClient, Unavailable } from '@app/kernel';
import { type Database } from '../database/database';
import { leaderLocks } from '../leading/leadership';
import { UnfitDatabase } from '../postgres/check-database';
import { refuseMissingRights } from './rights';
import { endConnection } from '../postgres/silent-servers';
import { answering } from '../postgres/postgres-errors';

/** The database was migrated by a newer version of the product than this one. */
class SchemaTooNew extends UnfitDatabase {}

const lockWithinMs = 30_000;
/** A database that does not answer for this long hangs; time spent waiting for the lock is added. */
const answerWithinMs = 5_000;
const lockNotAvailable = '55P03';

export interface MigrateOptions {
  readonly onStep?: (name: string) => void;
  /** How long another process may hold the lock; 30 s when absent. */
  readonly lockWithinMs?: number;
}

/**
 * Migrates the schema to this version under an advisory lock, because TypeORM takes none.
 * @throws UnfitDatabase when the database has a migration that this version does not know, when the role may not create or use what this
 * version needs, and when another process holds the lock for too long: the message states which
 * @throws Unavailable when PostgreSQL does not answer, or the lock is lost meanwhile
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<void> {
  // A separate connection, because the lock must be held while the pool's connections do the work.
  const holder = new Client({
    connectionString: database.url,
    application_name: 'parley migrations',
    connectionTimeoutMillis: answerWithinMs,
    query_timeout: answerWithinMs,
    ...heldConnection,
  });
  let lost: Error | null = null;
  holder.on('error', (error) => (lost = error));
  await answering(() => holder.connect());
  try {
    await answering(() => holder.query(noticeLostClient));
    await answering(() => acquireLock(holder, options.lockWithinMs ?? lockWithinMs));
    await refuseMissingRights(database, 'to use');
    if ((await pendingMigrations(database)) > 0) await refuseMissingRights(database, 'to create');
    for (const migration of await answering(() => database.source.runMigrations())) options.onStep?.(migration.name);
    await refuseMissingRights(database, 'to use');
    if (lost !== null) throw new Unavailable('database', { cause: lost });
  } finally {
    await endConnection(holder);
  }
}

/** @throws UnfitDatabase naming the session that holds the lock, if it does not release it in time */
async function acquireLock(holder: Client, withinMs: number): Promise<void> {
  try {
    await holder.query(`SET lock_timeout = ${withinMs}`);
    const answeredWithinMs = withinMs + answerWithinMs;
    const text = 'SELECT pg_advisory_lock($1)';
    // `pg` accepts a time limit for one statement, which its types do not show.
    const taking = { text, values: [leaderLocks.migrations], query_timeout: answeredWithinMs };
    await holder.query(taking);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === lockNotAvailable)) throw error;
    throw new UnfitDatabase(
      `another session has held the lock of the migrations for ${withinMs / 1000} s (${await holderOfLock(holder)}): ` +
        'wait until it is done, or end it with pg_terminate_backend',
    );
  }
}

/** Describes the session that holds the lock. It may just have released it, and a role sees only the number of other roles' sessions. */
async function holderOfLock(client: Client): Promise<string> {
  const { rows } = await client.query<{ pid: number; host: string; application: string }>(
    `SELECT pid, coalesce(host(client_addr), 'this machine or hidden') AS host,
       coalesce(nullif(application_name, ''), 'unnamed') AS application
     FROM pg_locks LEFT JOIN pg_stat_activity USING (pid)
     WHERE locktype = 'advisory' AND granted AND objsubid = 1
       AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND (classid::int8 << 32) + objid::int8 = $1`,
    [leaderLocks.migrations],
  );
  const [found] = rows;
  if (found === undefined) return 'it has just changed hands';
  return `pid ${found.pid}, from ${found.host}, application ${found.application}`;
}

/** Number of migrations of this version that are not applied yet. @throws UnfitDatabase when a newer version has migrated the database */
export async function pendingMigrations(database: Database): Promise<number> {
  const known = new Set(database.source.migrations.map(({ name, constructor }) => name ?? constructor.name));
  const [table] = await database.query<{ name: string | null }>(
    "SELECT to_regclass('schema_migrations')::text AS name",
  );
  if (!table?.name) return known.size;
  const applied = await database.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY id');
  const unknown = applied.filter(({ name }) => !known.has(name)).map(({ name }) => name);
  if (unknown.length > 0) {
    throw new SchemaTooNew(
      `the database has migrations that this version does not know (${unknown.join(', ')}); start a newer version`,
    );
  }
  return known.size - applied.length;
}
