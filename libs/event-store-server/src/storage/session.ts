import { Client } from 'pg';
import { CONNECT_TIMEOUT_MS } from '../limits';
import { migrateSchema } from './schema';

/** The writer's lock, one per database: whoever holds it is the only one who writes. The number spells "parley". */
const WRITER_LOCK = 0x7061_726c_6579;

/** The connection that holds the writer's lock, and that every write goes through: without the lock, no write. */
export interface WriterSession {
  readonly db: Client;
  /** Ends the connection at once, and with it the lock. */
  destroy(): void;
}

export type LostListener = (session: WriterSession, error: Error) => void;

export class LockHeldError extends Error {
  constructor() {
    super('another event store server holds the writer lock of this database');
  }
}

/**
 * Connects, takes the lock and brings the schema up to date. Rejects with `LockHeldError` when another server writes.
 * `onLost` is called once when the connection ends, for whatever reason.
 */
export async function openWriterSession(databaseUrl: string, onLost: LostListener): Promise<WriterSession> {
  const db = new Client({
    connectionString: databaseUrl,
    application_name: 'parley event store writer',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
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
      // `end` first asks politely and would wait for a server that does not answer: the socket is closed instead.
      // `as`: @types/pg does not show the connection; its stream is the socket.
      (db as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    },
  };
  db.on('error', lose);
  db.on('end', () => lose(new Error('the connection to PostgreSQL ended')));
  try {
    await db.connect();
    await db.query('SET synchronous_commit = on');
    await db.query('SET client_min_messages = warning');
    const { rows } = await db.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1) AS held', [WRITER_LOCK]);
    if (!rows[0]?.held) throw new LockHeldError();
    await migrateSchema(db);
    return session;
  } catch (error) {
    session.destroy();
    throw error;
  }
}
