import { isJsonObject } from '@app/kernel';
import { concat, textOf, utf8 } from './bytes';
import { isCount, sameHash } from './merkle';
import { tileWidth } from './tiles';

/** The log's record of an event: its stream and revision, its identity, and the hashes of its stored bytes, in hex. */
export interface LogEntry {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly dataSha256: string;
  readonly metadataSha256: string;
}

/**
 * The bytes that a leaf hashes: the RFC 8785 form. For texts and whole numbers this equals the output of `JSON.stringify` with members
 * sorted by name, which takes a fifth of the time: every event of the store passes here.
 */
export function entryBytes({ stream, revision, id, type, dataSha256, metadataSha256 }: LogEntry): Uint8Array {
  return utf8(JSON.stringify({ dataSha256, id, metadataSha256, revision, stream, type }));
}

const hexHash = /^[0-9a-f]{64}$/;

/** Parses an entry; null for bytes that are not an entry, or not in its only valid form. */
export function parseEntry(bytes: Uint8Array): LogEntry | null {
  const value = jsonIn(bytes);
  if (!isJsonObject(value)) return null;
  const { stream, revision, id, type, dataSha256, metadataSha256 } = value;
  if (typeof stream !== 'string' || typeof id !== 'string' || typeof type !== 'string') return null;
  if (typeof revision !== 'number' || !isCount(revision)) return null;
  if (!isHexHash(dataSha256) || !isHexHash(metadataSha256)) return null;
  const entry = { stream, revision, id, type, dataSha256, metadataSha256 };
  return sameHash(entryBytes(entry), bytes) ? entry : null;
}

const isHexHash = (value: unknown): value is string => typeof value === 'string' && hexHash.test(value);

function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(bytes) ?? '');
  } catch {
    return null; // not JSON
  }
}

/** Entries as they are served together: each preceded by its length in two bytes. Source: C2SP tlog-tiles, "Log entries". */
export function bundleOf(entries: readonly Uint8Array[]): Uint8Array {
  return concat(...entries.flatMap((entry) => [Uint8Array.of(entry.length >> 8, entry.length & 0xff), entry]));
}

/** The entries of a bundle, in order; null if it is truncated, or has more of them than a bundle may have. */
export function entriesIn(bundle: Uint8Array): Uint8Array[] | null {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bundle.length;) {
    const [high, low] = [bundle[at], bundle[at + 1]];
    if (high === undefined || low === undefined) return null;
    const [from, to] = [at + 2, at + 2 + high * 256 + low];
    if (to > bundle.length || entries.length === tileWidth) return null;
    entries.push(bundle.subarray(from, to));
    at = to;
  }
  return entries;
}
