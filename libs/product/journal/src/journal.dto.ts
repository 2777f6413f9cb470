import { CursorText, Describe, IntegerText, Optional, Value } from '@app/http';
import { limits } from '@app/kernel';
import { integer } from '@app/schema';

export class ListEventsDto {
  /** Any text: one that the list did not mint is `invalid_cursor`, not `invalid_input`. */
  @Optional()
  @CursorText()
  cursor?: string;

  @Describe('How many at most')
  @IntegerText({ min: 1, max: limits.eventsLimitMax, default: limits.eventsLimitDefault })
  limit: number;
}

export class StreamEventsDto {
  /** Anything: it is looked at only where no `Last-Event-ID` goes before it. */
  @Optional()
  @Describe(
    'Resume strictly after this `seq`; one past the end of the journal waits. Not looked at beside `Last-Event-ID`',
  )
  @Value('a seq', () => true, { ...integer({ min: 0, max: limits.streamCursorMax }), default: 0 })
  cursor?: unknown;
}
