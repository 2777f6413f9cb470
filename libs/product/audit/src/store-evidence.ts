import type { EventStore } from '@app/event-store';
import type { Database } from '@app/read-store';
import type { LogTables, PlacedLeaf } from './log-tables';

/** What a database has seen of its event store. */
export interface Seen {
  /** Position of the newest event that it knows of; 0 where it has seen none. */
  readonly position: number;
  /** The newest leaf of the log; null where the log was not built. */
  readonly leaf: PlacedLeaf | null;
}

/** What a database knows of its event store. Throws Unavailable. */
export async function seenBy(database: Database, tables: LogTables): Promise<Seen> {
  const { size } = await tables.place();
  const [leaf = null] = size === 0 ? [] : await tables.leavesFrom(size - 1, size);
  const [row] = await database.query<{ position: number }>(
    'SELECT coalesce(max(position), 0)::bigint AS position FROM reactor_checkpoints',
  );
  return { position: leaf?.position ?? row?.position ?? 0, leaf };
}

/**
 * Whether an event store may be the one of which a database has seen so much: it holds the newest of these events or, where that one was
 * deleted, goes on beyond it. Throws Unavailable.
 */
export async function holdsSeen(store: EventStore, { position, leaf }: Seen): Promise<'all' | 'less' | 'other'> {
  if (position === 0) return 'all';
  const end = await store.endPosition();
  if (leaf === null) return end >= position ? 'all' : 'less';
  const { stream, revision, id } = leaf.entry;
  const [event] = await store.readRemaining(stream, revision, 1);
  if (event?.revision === revision) return event.id === id ? 'all' : 'other';
  return end >= position ? 'all' : 'less';
}
