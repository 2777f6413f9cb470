import { CursorText, Describe, IntegerText, Optional } from '@app/http';
import { limits } from '@app/kernel';

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
  @Describe('Resume strictly after this `seq`; one past the end of the journal waits')
  @IntegerText({ min: 0, max: limits.streamCursorMax, default: 0 })
  cursor: number;
}
