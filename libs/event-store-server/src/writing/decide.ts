/** Whether a write is accepted: pure, as EventStoreDB decides it (expected revisions and idempotency). */
import { isMetastream } from '../event';
import type { Failure } from '../failure';
import type { IdPlace } from '../storage/heads-table';
import { isSoftDeleted, type Head } from './head';
import type { Append, WriteRequest } from './request';

/** What is known of past events; for every id and revision in question it has to be complete. */
export interface History {
  /** Where this id stands, if it is among the known ones. */
  placeOf(id: string): IdPlace | undefined;
  /** The place of this id, if it stands at this very revision. */
  placeAt(id: string, stream: string, revision: number): IdPlace | undefined;
}

export type Decision =
  | { kind: 'accepted'; firstRevision: number }
  /** The same events are there already: the answer is the one they got. */
  | { kind: 'repeated'; revision: number; position: number }
  | Failure;

export function lastRevision(head: Head, stream: string): number {
  return isMetastream(stream) ? head.metaLast : head.last;
}

export function decideAppend(append: Append, head: Head, history: History): Decision {
  const { stream, expected } = append;
  if (head.tombstoned) return { kind: 'stream-deleted', stream };
  const last = lastRevision(head, stream);
  const hidden = !isMetastream(stream) && isSoftDeleted(head);
  const accepted: Decision = { kind: 'accepted', firstRevision: last + 1 };
  if (expected === 'any' || expected === 'stream_exists') {
    if (expected === 'stream_exists' && (last < 0 || hidden)) return wrongVersion(append, last);
    return repeatOfKnownIds(append, last, history) ?? accepted;
  }
  const exact = expected === 'no_stream' ? -1 : expected;
  if (exact === last) return accepted;
  if (exact > last) return wrongVersion(append, last);
  // A stream that was soft-deleted counts as missing, but its revisions go on.
  const startsAnew = hidden && expected === 'no_stream';
  return repeatAfter(exact, append, history) ?? (startsAnew ? accepted : wrongVersion(append, last));
}

/** Deleting and tombstoning look at the expected revision; what never was can be tombstoned, and not deleted. */
export function decideDelete(request: WriteRequest, head: Head): Decision {
  const { stream, expected } = request;
  if (head.tombstoned) return { kind: 'stream-deleted', stream };
  const gone = head.last < 0 || isSoftDeleted(head);
  const met =
    expected === 'any' ||
    (expected === 'no_stream' && gone) ||
    (expected === 'stream_exists' && !gone) ||
    expected === head.last;
  const neverWas = request.kind === 'delete' && head.last < 0 && head.metaLast < 0;
  return met && !neverWas ? { kind: 'accepted', firstRevision: head.last + 1 } : wrongVersion(request, head.last);
}

function wrongVersion({ stream, expected }: WriteRequest, last: number): Failure {
  return { kind: 'wrong-expected-version', stream, expected, current: last < 0 ? 'no_stream' : last };
}

/** A repeat under an exact expectation: every id stands where this append would have put it. */
function repeatAfter(expected: number, append: Append, history: History): Decision | undefined {
  let end: IdPlace | undefined;
  for (const [index, event] of append.events.entries()) {
    end = history.placeAt(event.id, append.stream, expected + 1 + index);
    if (!end) return undefined;
  }
  return end && { kind: 'repeated', revision: end.revision, position: end.position };
}

/** A repeat without one: all ids are known in this stream. Some known and some not is a conflict. */
function repeatOfKnownIds(append: Append, last: number, history: History): Decision | undefined {
  let end: IdPlace | undefined;
  for (const [index, event] of append.events.entries()) {
    const place = history.placeOf(event.id);
    if (place?.stream !== append.stream) return index === 0 ? undefined : wrongVersion(append, last);
    end = place;
  }
  return end && { kind: 'repeated', revision: end.revision, position: end.position };
}
