import { Client, DatabaseError, escapeIdentifier } from 'pg';

/** PostgreSQL's errors for the slower of two `CREATE DATABASE` with the same name: duplicate_database, unique_violation. */
const ALREADY_THERE: readonly (string | undefined)[] = ['42P04', '23505'];

/**
 * Creates the database `name` if it is missing. `url` names any database on the same server, for a user who may create databases. Safe to
 * call from several processes at once.
 */
export async function ensureDatabase(url: string, name: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${escapeIdentifier(name)}`);
  } catch (error) {
    if (!(error instanceof DatabaseError) || !ALREADY_THERE.includes(error.code)) throw error;
  } finally {
    await client.end();
  }
}
