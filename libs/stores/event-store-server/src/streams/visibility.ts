import { isMetastream } from '../event';
import type { Failure } from '../failure';
import { isSoftDeleted, type Head } from './head';

/** The revisions of a stream that a reader sees, derived from its metadata. Empty when `first` is above `last`. */
export interface VisibleRevisions {
  readonly first: number;
  readonly last: number;
  readonly createdMsMin: number;
}

export type Visibility = VisibleRevisions | Extract<Failure, { kind: 'stream-deleted' }> | { kind: 'not-found' };

export function isVisible(visibility: Visibility): visibility is VisibleRevisions {
  return !('kind' in visibility);
}

/** The visibility of a stream. A metadata stream shows its newest event only; it ends with its stream. */
export function visibilityOf(stream: string, head: Readonly<Head>, nowMs: number): Visibility {
  if (head.tombstoned) return { kind: 'stream-deleted', stream };
  if (isMetastream(stream)) {
    return head.metaLast < 0 ? { kind: 'not-found' } : { first: head.metaLast, last: head.metaLast, createdMsMin: 0 };
  }
  if (head.last < 0 || isSoftDeleted(head)) return { kind: 'not-found' };
  const { truncateBefore = 0, maxCount = Infinity, maxAgeMs = Infinity } = head.metadata ?? {};
  return {
    first: Math.max(0, truncateBefore, head.last - maxCount + 1),
    last: head.last,
    createdMsMin: Math.max(0, nowMs - maxAgeMs),
  };
}
