import { CursorText, IntegerText, OneOf, Optional, text, Text, Uuid, Value } from '@app/http';
import { instantIn, isJsonObject, limits, type Instant, type JsonObject } from '@app/kernel';
import type { OccurrenceDelivery } from './automation.row';
import { stateFilters, type StateFilter } from './automations.queries';
import { isEventData } from './inbound-event';

const queryLengthMax = 120;
const deliveries: readonly OccurrenceDelivery[] = [
  ...(['pending', 'deferred', 'accepted', 'rejected', 'canceled', 'skipped', 'coalesced'] as const),
];

const isText = (value: unknown) => typeof value === 'string';
const isInstant = (value: unknown) => instantIn(value) !== null;
const dateTime = 'a date-time in UTC with at most milliseconds';

export class ListAutomationsDto {
  @Optional()
  @CursorText()
  cursor?: string;

  @IntegerText({ min: 1, max: limits.listLimitMax, default: limits.listLimitDefault })
  limit: number;

  @Optional()
  @OneOf(stateFilters)
  state?: StateFilter;
}

export class SearchAutomationsDto {
  @Optional()
  @Text({ max: queryLengthMax })
  query?: string;

  @Optional()
  @OneOf(stateFilters)
  state?: StateFilter;

  @IntegerText({ min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 })
  offset: number;
}

const anyObject = { type: 'object' };

/** Whatever its form, a revision that is not the present one is refused. */
export class RevisionDto {
  @Value('a text', isText, text())
  revision: string;
}

export class UpdateAutomationDto extends RevisionDto {
  /** Read strictly by the use case. */
  @Value('an object', isJsonObject, anyObject)
  definition: JsonObject;
}

/** Body of signal and of invoke. */
export class HandDto extends RevisionDto {
  @Uuid()
  idempotencyKey: string;

  @Optional()
  @Value('an object of at most 16 KiB, 8 levels and 256 entries', isEventData, anyObject)
  input?: JsonObject;
}

export class ListOccurrencesDto {
  @Optional()
  @CursorText()
  cursor?: string;

  @IntegerText({ min: 1, max: limits.listLimitMax, default: limits.listLimitDefault })
  limit: number;

  @Optional()
  @OneOf(deliveries)
  delivery?: OccurrenceDelivery;
}

export class TestConditionDto {
  /** Read strictly by the use case. */
  @Optional()
  @Value('an object', isJsonObject, anyObject)
  event?: JsonObject;
}

export class SimulateDto {
  @Value(dateTime, isInstant, text({ format: 'date-time' }))
  from: Instant;

  @Value(dateTime, isInstant, text({ format: 'date-time' }))
  to: Instant;
}
