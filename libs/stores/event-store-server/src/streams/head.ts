import { isMetastream } from '../event';
import type { StreamMetadata } from './stream-metadata';

/** The end of a stream together with that of its metadata stream: everything that a decision needs of the past. */
export interface Head {
  /** Revision of the last event, -1 when there is none. A tombstone does not count. */
  last: number;
  tombstoned: boolean;
  /** The same for `$$stream`. */
  metaLast: number;
  metadata: StreamMetadata | undefined;
}

/** The head of a stream that never existed. */
export const NO_HEAD: Readonly<Head> = { last: -1, tombstoned: false, metaLast: -1, metadata: undefined };

export function isSoftDeleted(head: Head): boolean {
  return head.metadata?.softDeleted ?? false;
}

/** The revision of a stream's last event, or of its metadata stream's if it is one; -1 when there is none. */
export function lastRevision(head: Head, stream: string): number {
  return isMetastream(stream) ? head.metaLast : head.last;
}
