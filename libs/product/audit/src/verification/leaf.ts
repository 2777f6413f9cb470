import { entryBytes, parseEntry, type Hash, type LogEntry } from '@app/transparency';
import { entryOf, leafHashOf, type StoredBytes } from '../covered-events';

/** A leaf of the log: as the log keeps it, or as a stored event comes to it. */
export interface Leaf {
  readonly hash: Hash;
  /** Null where nothing but the hash is known, or where the bytes are no entry of ours. */
  readonly entry: LogEntry | null;
  /** The index of one that the log keeps; the position of a stored event. */
  readonly at: number;
}

/** What a stored event comes to, its bytes hashed again. */
export function leafOfEvent(event: StoredBytes): Leaf {
  const entry = entryOf(event);
  return { hash: leafHashOf(entryBytes(entry)), entry, at: event.position };
}

/** What the log keeps as its entry. */
export function leafOfBytes(bytes: Uint8Array, index: number): Leaf {
  return { hash: leafHashOf(bytes), entry: parseEntry(bytes), at: index };
}

/** The same text for the same leaf. */
export function textOfHash(leaf: Hash): string {
  return Buffer.from(leaf).toString('latin1');
}
