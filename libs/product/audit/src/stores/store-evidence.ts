import type { EventStore } from '@app/event-store';
import type { Database } from '@app/read-store';
import type { LogTables } from '../log/log-tables';

/** An event that a database knows; without an id, it is in a stream that no other deployment has. */
interface Trace {
  readonly stream: string;
  readonly revision: number;
  readonly id: string | null;
}

/** Evidence in a database about its event store: the newest position seen, and events to recognize the store by. */
export interface Seen {
  /** Position of the newest event that it knows of; 0 if it has seen none. */
  readonly position: number;
  /** Events of several streams, newest first; none if it knows only a position. */
  readonly traces: readonly Trace[];
}

/** Streams compared: an administrator has hardly deleted all of the most recently changed ones. */
const tracesMax = 8;

/** The first table of accounts: its rows are this deployment's, even if another table is replacing it. */
const firstAccounts = 'users';

/** Reads what a database knows of its event store. Throws Unavailable. */
export async function seenBy(database: Database, tables: LogTables): Promise<Seen> {
  const leaves = await tables.newestOfStreams(tracesMax);
  const [newest] = leaves;
  if (newest !== undefined)
    return {
      position: newest.position,
      traces: leaves.map(({ entry: { stream, revision, id } }) => ({ stream, revision, id })),
    };
  const [row] = await database.query<{ position: number }>(
    'SELECT coalesce(max(position), 0)::bigint AS position FROM reactor_checkpoints',
  );
  const position = row?.position ?? 0;
  return { position, traces: position === 0 ? [] : await tracesOfOlder(database) };
}

/**
 * Traces of a database without leaves, as of a version before the log: streams that were folded, and accounts, because
 * their table and streams have the same names in every version. Streams that every deployment has are excluded.
 */
async function tracesOfOlder(database: Database): Promise<Trace[]> {
  const [accounts] = await database.query<{ there: boolean }>(
    `SELECT to_regclass('${firstAccounts}') IS NOT NULL AS there`,
  );
  const ofAccounts = accounts?.there === true ? `UNION ALL SELECT 'user-' || user_id, 0 FROM ${firstAccounts}` : '';
  return database.query<Trace>(
    `SELECT stream, revision::bigint, NULL AS id FROM (SELECT stream, revision FROM snapshots ${ofAccounts}) AS known (stream, revision)
     WHERE stream ~ '-[0-9a-f]{8}-[0-9a-f-]{27}$' LIMIT ${tracesMax}`,
  );
}

/**
 * Whether an event store can be the one that a database has seen. `all`: it holds the newest of these events or, if an
 * administrator truncated or deleted the streams of all of them, reaches beyond them. `less`: an older copy, which
 * lacks a newer event and holds an older one, or ends earlier. `other`: another store. Throws Unavailable.
 */
export async function holdsSeen(store: EventStore, { position, traces }: Seen): Promise<'all' | 'less' | 'other'> {
  if (position === 0) return 'all';
  let isUnknown = false;
  let isKnown = false;
  for (const { stream, revision, id } of traces) {
    const [event] = await store.readRemaining(stream, revision, 1);
    isKnown = event?.revision === revision;
    if (isKnown && id !== null && event?.id !== id) return 'other';
    if (isKnown) break;
    // A deleted or truncated stream is recognizable as such, even after a scavenge.
    const { damage } = await store.remainsOf(stream);
    isUnknown ||= damage === null;
  }
  if (isUnknown) return isKnown || (await store.endPosition()) < position ? 'less' : 'other';
  return isKnown || (await store.endPosition()) >= position ? 'all' : 'less';
}
