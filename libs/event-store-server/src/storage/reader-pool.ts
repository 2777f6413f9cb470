import { Pool } from 'pg';
import { CONNECT_TIMEOUT_MS, READER_CONNECTIONS_MAX, READER_TIMEOUT_MS } from '../limits';
import type { Log } from '../log';

/** Connections for reading. A lost one is replaced by the next query; a query on a lost one rejects. */
export function openReaderPool(databaseUrl: string, log: Log): Pool {
  const pool = new Pool({
    connectionString: databaseUrl,
    application_name: 'parley event store reader',
    max: READER_CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: READER_TIMEOUT_MS,
    keepAlive: true,
  });
  pool.on('error', (error) => log('warn', 'a reading connection to PostgreSQL was lost', { error: error.message }));
  return pool;
}
