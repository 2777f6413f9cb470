import { heldConnection, noticeLostClient } from '@app/kernel';
import { Client } from 'pg';
import { ATTACH_TIMEOUT_MS, CONNECT_TIMEOUT_MS } from '../limits';
import { migrateSchema } from './schema';

/** The writer's lock, one per database: only its holder writes. The number spells "parley". */
const WRITER_LOCK = 0x7061_726c_6579;

/** The connection that holds the writer's lock and carries every write: without the lock, no write. */
export interface WriterSession {
  readonly db: Client;
  /** Ends the connection at once, and with it the lock. */
  destroy(): void;
}

export type LostListener = (session: WriterSession, error: Error) => void;

export class LockHeldError extends Error {
  constructor(holder: string) {
    super(`another event store server holds the writer lock of this database: ${holder}`);
  }
}

/**
 * Connects, takes the lock and brings the schema up to date. Rejects with `LockHeldError` when another server writes, and also when that
 * takes longer than ATTACH_TIMEOUT_MS. `onLost` is called once when the connection ends, for any reason.
 */
export async function openWriterSession(databaseUrl: string, onLost: LostListener): Promise<WriterSession> {
  const db = new Client({
    connectionString: databaseUrl,
    application_name: 'parley event store writer',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...heldConnection,
  });
  let lost = false;
  const lose = (error: Error): void => {
    if (!lost) onLost(session, error);
    lost = true;
  };
  const session: WriterSession = {
    db,
    destroy: () => {
      lose(new Error('the connection to PostgreSQL was given up'));
      // `end` would wait for a server that does not answer, so the socket is closed instead. `as`: @types/pg does not show the connection;
      // its stream is the socket.
      (db as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    },
  };
  db.on('error', lose);
  db.on('end', () => lose(new Error('the connection to PostgreSQL ended')));
  const overdue = setTimeout(() => session.destroy(), ATTACH_TIMEOUT_MS);
  try {
    await db.connect();
    await db.query(`SET synchronous_commit = on; SET client_min_messages = warning; ${noticeLostClient}`);
    const { rows } = await db.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1) AS held', [WRITER_LOCK]);
    if (!rows[0]?.held) throw new LockHeldError(await holderOfLock(db));
    await migrateSchema(db);
    return session;
  } catch (error) {
    session.destroy();
    throw error;
  } finally {
    clearTimeout(overdue);
  }
}

/** Describes the holder of the lock, which may just have released it. */
async function holderOfLock(db: Client): Promise<string> {
  const { rows } = await db.query<{ pid: number; host: string; since: string }>(
    `SELECT pid, coalesce(host(client_addr), 'this machine') AS host,
       to_char(backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS since
     FROM pg_locks JOIN pg_stat_activity USING (pid)
     WHERE locktype = 'advisory' AND granted AND objsubid = 1
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND (classid::int8 << 32) + objid::int8 = $1`,
    [WRITER_LOCK],
  );
  const [holder] = rows;
  return holder
    ? `session ${holder.pid} of PostgreSQL, from ${holder.host}, connected since ${holder.since}`
    : 'it has just changed hands';
}
