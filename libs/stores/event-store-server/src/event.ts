/** The store's events, stream names and revisions. Positions and revisions are safe integers, except for one sentinel. */

import type { RecordedEvent } from '@app/event-store-wire';
import { STREAM_NAME_BYTES_MAX } from './limits';

export { TOMBSTONE_REVISION, TOMBSTONE_REVISION_EXACT } from '@app/event-store-wire';
export type { ExpectedRevision, FramedEvent, RecordedEvent as StoredEvent } from '@app/event-store-wire';

export const TOMBSTONE_TYPE = '$streamDeleted';
export const METADATA_TYPE = '$metadata';
export const LINK_TYPE = '$>';
export const ALL_STREAM = '$all';

/** An event as a client proposes it. */
export type ProposedEvent = Pick<RecordedEvent, 'id' | 'type' | 'isJson' | 'data' | 'metadata'>;

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
