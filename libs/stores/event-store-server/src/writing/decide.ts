/** Decides whether a write is accepted: pure, and by EventStoreDB's rules (expected revisions and idempotency). */
import { isMetastream } from '../event';
import type { Failure } from '../failure';
import { isVisible, visibilityOf } from '../streams/visibility';
import type { IdPlace } from '../storage/heads-table';
import { isSoftDeleted, lastRevision, type Head } from '../streams/head';
import type { Append, WriteRequest } from './request';

/** The past events that a decision needs: complete for every id and revision in question. */
export interface History {
  /** Where this id is stored, if it is among the known ones. */
  placeOf(id: string): IdPlace | undefined;
  /** The place of this id, if it is stored at exactly this revision. */
  placeAt(id: string, stream: string, revision: number): IdPlace | undefined;
}

export type Decision =
  | { kind: 'accepted'; firstRevision: number }
  /** The same events are stored already: the answer is the original one, without a position once they are hidden. */
  | { kind: 'repeated'; revision: number; position: number | undefined }
  | Failure;

export function decideAppend(append: Append, head: Head, history: History): Decision {
  const { stream, expected } = append;
  if (isOver(head, stream)) return { kind: 'stream-deleted', stream };
  if (expected === 'any' || expected === 'stream_exists') return decideLoosely(append, head, history);
  const last = lastRevision(head, stream);
  const accepted: Decision = { kind: 'accepted', firstRevision: last + 1 };
  const exact = expected === 'no_stream' ? -1 : expected;
  if (exact === last) return accepted;
  if (exact > last) return wrongVersion(append, last);
  // A soft-deleted stream counts as missing, but its revisions continue; unless this append is a repeat of its beginning.
  const [first] = append.events;
  const startsAnew =
    isHidden(head, stream) && expected === 'no_stream' && first && !history.placeAt(first.id, stream, 0);
  return repeatAfter(exact, append, head, history) ?? (startsAnew ? accepted : wrongVersion(append, last));
}

function decideLoosely(append: Append, head: Head, history: History): Decision {
  const { stream, expected } = append;
  const last = lastRevision(head, stream);
  if (expected === 'stream_exists' && isHidden(head, stream)) return { kind: 'stream-deleted', stream };
  if (expected === 'stream_exists' && !isKnown(head, stream)) return wrongVersion(append, last);
  return repeatOfKnownIds(append, head, history) ?? { kind: 'accepted', firstRevision: last + 1 };
}

/** Deletes and tombstones check the expected revision; a stream that never existed can be tombstoned, but not deleted. */
export function decideDelete(request: WriteRequest, head: Head): Decision {
  const { stream, expected } = request;
  if (head.tombstoned) return { kind: 'stream-deleted', stream };
  if (expected === 'stream_exists' && isSoftDeleted(head)) return { kind: 'stream-deleted', stream };
  const met =
    expected === 'any' ||
    (expected === 'no_stream' && (head.last < 0 || isSoftDeleted(head))) ||
    (expected === 'stream_exists' && isKnown(head, stream)) ||
    expected === head.last;
  const neverWas = request.kind === 'delete' && head.last < 0 && head.metaLast < 0;
  return met && !neverWas ? { kind: 'accepted', firstRevision: head.last + 1 } : wrongVersion(request, head.last);
}

/** A tombstone ends a stream; existing metadata can still be replaced. */
function isOver(head: Head, stream: string): boolean {
  return head.tombstoned && !(isMetastream(stream) && head.metaLast >= 0);
}

function isHidden(head: Head, stream: string): boolean {
  return !isMetastream(stream) && isSoftDeleted(head);
}

/** Metadata alone makes a stream exist too. */
function isKnown(head: Head, stream: string): boolean {
  return lastRevision(head, stream) >= 0 || head.metaLast >= 0;
}

function wrongVersion({ stream, expected }: WriteRequest, last: number): Failure {
  return { kind: 'wrong-expected-version', stream, expected, current: last < 0 ? 'no_stream' : last };
}

/** A repeat under an exact expectation: every id is stored where this append would have put it. */
function repeatAfter(expected: number, append: Append, head: Head, history: History): Decision | undefined {
  let end: IdPlace | undefined;
  for (const [index, event] of append.events.entries()) {
    end = history.placeAt(event.id, append.stream, expected + 1 + index);
    if (!end) return undefined;
  }
  return end && repeatOutcome(end, head);
}

/** A repeat without an exact expectation: all ids are known in this stream. Some known and some not is a conflict. */
function repeatOfKnownIds(append: Append, head: Head, history: History): Decision | undefined {
  let end: IdPlace | undefined;
  for (const [index, event] of append.events.entries()) {
    const place = history.placeOf(event.id);
    if (place?.stream !== append.stream)
      return index === 0 ? undefined : wrongVersion(append, lastRevision(head, append.stream));
    end = place;
  }
  return end && repeatOutcome(end, head);
}

/** Events hidden only by their age count as visible, because the place of an event does not include its time. */
function repeatOutcome({ stream, revision, position }: IdPlace, head: Head): Decision {
  const visible = visibilityOf(stream, head, 0);
  const isRead = isVisible(visible) && revision >= visible.first;
  return { kind: 'repeated', revision, position: isRead ? position : undefined };
}
