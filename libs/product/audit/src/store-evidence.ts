import type { EventStore } from '@app/event-store';
import type { Database } from '@app/read-store';
import type { LogTables } from './log-tables';

/** An event that a database knows of; `id` is null where it knows the place alone, in a stream that no other deployment has. */
interface Trace {
  readonly stream: string;
  readonly revision: number;
  readonly id: string | null;
}

/** What a database has seen of its event store. */
export interface Seen {
  /** Position of the newest event that it knows of; 0 where it has seen none. */
  readonly position: number;
  /** Events of several streams, the newest first; none where it knows a position alone. */
  readonly traces: readonly Trace[];
}

/** An administrator may have deleted the streams that changed last; so many of them leave hardly a doubt. */
const tracesMax = 8;

/** The first table of the accounts: its rows are of this deployment also where another one is read by now, or is still being filled. */
const firstAccounts = 'users';

/** What a database knows of its event store. Throws Unavailable. */
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
 * For a database without leaves, as one of a version before the log: streams that were folded, and accounts, whose table and streams
 * are named alike in every version. Streams that every deployment has are left out.
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
 * Whether an event store may be the one of which a database has seen so much: it holds the newest of these events or, where an administrator
 * cut or deleted the streams of all of them, goes on beyond it. One that lacks a newer event, and holds an older one, is an older copy.
 * Throws Unavailable.
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
    // Streams that were deleted or cut say so, even after a scavenge.
    const { damage } = await store.remainsOf(stream);
    isUnknown ||= damage === null;
  }
  if (isUnknown) return isKnown || (await store.endPosition()) < position ? 'less' : 'other';
  return isKnown || (await store.endPosition()) >= position ? 'all' : 'less';
}
