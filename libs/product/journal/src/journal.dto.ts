import { cursor, Member, pageLimit, QueryMember } from '@app/http';
import { limits } from '@app/kernel';
import { custom, integer, optional } from '@app/schema';

/** A `seq` as spelled in a cursor of the stream. */
export const seqPattern = /^(0|[1-9][0-9]{0,15})$/;

export class ListEventsDto {
  /** Any text: one that is no cursor of the list is `invalid_cursor`, not `invalid_input`. */
  @Member(cursor())
  cursor?: string;

  @QueryMember(pageLimit({ max: limits.eventsLimitMax, absent: limits.eventsLimitDefault }))
  limit: number;
}

const seq = integer({
  min: 0,
  max: limits.streamCursorMax,
  default: 0,
  description:
    'Resume strictly after this `seq`; one past the end of the journal waits. Ignored where the request has a `Last-Event-ID`',
});

export class StreamEventsDto {
  /** Anything, because it is read only if there is no `Last-Event-ID`, which takes precedence. */
  @Member(optional(custom(seq, isAnything, 'must be a seq')))
  cursor?: unknown;
}

function isAnything(_: unknown): _ is unknown {
  return true;
}
