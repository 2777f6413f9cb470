/** The store's events, stream names and revisions. Positions and revisions are safe integers, except for one sentinel. */

import { STREAM_NAME_BYTES_MAX } from './limits';

/** A tombstone's revision is 2^63 - 1 in the database and on the wire; in between, the nearest double represents it. */
export const TOMBSTONE_REVISION = 2 ** 63;
export const TOMBSTONE_REVISION_EXACT = (1n << 63n) - 1n;

export const TOMBSTONE_TYPE = '$streamDeleted';
export const METADATA_TYPE = '$metadata';
export const LINK_TYPE = '$>';
export const ALL_STREAM = '$all';

/** An event as a client proposes it. */
export interface ProposedEvent {
  /** Lower-case canonical UUID. */
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

/** An event with its position in the store. Positions start at 1 without gaps; revisions of a stream start at 0. */
export interface StoredEvent extends ProposedEvent {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly createdMs: number;
}

/** A committed event with its wire form, encoded once for all its readers. */
export interface FramedEvent extends StoredEvent {
  /** A `ReadResp` with string UUIDs and no link, framed as gRPC sends it. */
  readonly frame: Buffer;
}

export type ExpectedRevision = number | 'any' | 'no_stream' | 'stream_exists';

/** Whether PostgreSQL can store a text. It stores no NUL, and one such value makes it refuse all others of the query. */
export function isStorable(text: string): boolean {
  return !text.includes('\0');
}

/** Whether a stream of that name can exist at all. */
export function canExist(stream: string): boolean {
  return isStorable(stream) && Buffer.byteLength(stream) <= STREAM_NAME_BYTES_MAX;
}

export function isMetastream(stream: string): boolean {
  return stream.startsWith('$$');
}

/** `$$orders` belongs to `orders`: decisions consider a stream and its metadata stream together. */
export function baseStreamOf(stream: string): string {
  return isMetastream(stream) ? stream.slice(2) : stream;
}

export function metastreamOf(stream: string): string {
  return `$$${stream}`;
}
