import { entryBytes, parseEntry, type Hash, type LogEntry } from '@app/transparency';
import { entryOf, leafHashOf, type StoredBytes } from '../log/covered-events';

/** A leaf of the log: as the log keeps it, or as computed from a stored event. */
export interface Leaf {
  readonly hash: Hash;
  /** Null if only the hash is known, or if the bytes are not an entry of ours. */
  readonly entry: LogEntry | null;
  /** The index of a leaf that the log keeps; the position of a stored event. */
  readonly at: number;
}

/** The leaf of a stored event, with its bytes hashed again. */
export function leafOfEvent(event: StoredBytes): Leaf {
  const entry = entryOf(event);
  return { hash: leafHashOf(entryBytes(entry)), entry, at: event.position };
}

/** The leaf of entry bytes that the log keeps. */
export function leafOfBytes(bytes: Uint8Array, index: number): Leaf {
  return { hash: leafHashOf(bytes), entry: parseEntry(bytes), at: index };
}

/** Text that is equal for equal hashes, for use as a key. */
export function textOfHash(leaf: Hash): string {
  return Buffer.from(leaf).toString('latin1');
}
