import { heldConnection } from '@app/kernel';
import { Pool } from 'pg';
import {
  BULK_CONNECTIONS_MAX,
  CONNECT_TIMEOUT_MS,
  QUICK_CONNECTIONS_MAX,
  QUICK_EVENTS_MAX,
  READER_TIMEOUT_MS,
} from '../limits';
import type { Log } from '../log';

/** Connections for reading. The next query replaces a lost one; a query on a lost one rejects. */
export interface ReaderPools {
  /** For lookups by key: they never wait behind pages. */
  readonly quick: Pool;
  readonly bulk: Pool;
  end(): Promise<void>;
}

export function openReaderPools(databaseUrl: string, log: Log): ReaderPools {
  const open = (max: number): Pool => {
    const pool = new Pool({
      connectionString: databaseUrl,
      application_name: 'parley event store reader',
      max,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: READER_TIMEOUT_MS,
      ...heldConnection,
    });
    pool.on('error', (error) => log('warn', 'a reading connection to PostgreSQL was lost', { error: error.message }));
    return pool;
  };
  const [quick, bulk] = [open(QUICK_CONNECTIONS_MAX), open(BULK_CONNECTIONS_MAX)];
  return { quick, bulk, end: async () => void (await Promise.all([quick.end(), bulk.end()])) };
}

/** Returns the pool for a page; one of few events counts as a lookup. */
export function poolForPage(pools: ReaderPools, events: number): Pool {
  return events <= QUICK_EVENTS_MAX ? pools.quick : pools.bulk;
}
