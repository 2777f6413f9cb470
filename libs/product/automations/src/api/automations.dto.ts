import {
  CursorText,
  Describe,
  Example,
  GivenInstant,
  IntegerText,
  OneOf,
  Optional,
  Text,
  Uuid,
  Value,
} from '@app/http';
import { isJsonObject, limits, type Instant, type JsonObject } from '@app/kernel';
import { text } from '@app/schema';
import { deliveries, type OccurrenceDelivery } from '../read-model/automation.row';
import { stateFilters, type StateFilter } from './automations.queries';
import { definitionShape } from '../definition/definition.schema';
import { eventDataShape, InboundEventShape, isEventData } from '../inputs/inbound-event';

const queryLengthMax = 120;

const isText = (value: unknown) => typeof value === 'string';
const whichStates = '`current`: all that are not archived';

export class ListAutomationsDto {
  @Optional()
  @CursorText()
  cursor?: string;

  @Describe('How many at most')
  @IntegerText({ min: 1, max: limits.listLimitMax, default: limits.listLimitDefault })
  limit: number;

  @Describe(`${whichStates}, which is the default`)
  @Optional()
  @OneOf(stateFilters)
  state?: StateFilter;
}

export class SearchAutomationsDto {
  @Describe('Every word must be a whole word of name, prompt or rule, in any case; absent, everything is found')
  @Optional()
  @Example('portfolio near')
  @Text({ max: queryLengthMax })
  query?: string;

  @Describe(`${whichStates}, which is the default`)
  @Optional()
  @OneOf(stateFilters)
  state?: StateFilter;

  @Describe('The `nextOffset` of the page before')
  @IntegerText({ min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 })
  offset: number;
}

/** Whatever its form, a revision that is not the present one is refused. */
export class RevisionDto {
  @Describe('The `revision` just read; any that is not the present one is `automation_changed`')
  @Value('a text', isText, text())
  revision: string;
}

export class UpdateAutomationDto extends RevisionDto {
  /** Read strictly by the use case. */
  @Value('an object', isJsonObject, definitionShape)
  definition: JsonObject;
}

/** Body of signal and of invoke. */
export class HandedInputDto extends RevisionDto {
  @Describe('Chosen by the caller: the same key answers the same outcome')
  @Uuid()
  idempotencyKey: string;

  @Describe('`data` of the event; `{}` when absent. At most 16 KiB as serialized, 8 levels, 256 entries')
  @Optional()
  @Value('an object of at most 16 KiB, 8 levels and 256 entries', isEventData, eventDataShape)
  input?: JsonObject;
}

export class ListOccurrencesDto {
  @Optional()
  @CursorText()
  cursor?: string;

  @Describe('How many at most')
  @IntegerText({ min: 1, max: limits.listLimitMax, default: limits.listLimitDefault })
  limit: number;

  @Describe('Only those that stand so; absent, all')
  @Optional()
  @OneOf(deliveries)
  delivery?: OccurrenceDelivery;
}

export class TestConditionDto {
  /** Read strictly by the use case. */
  @Optional()
  @Value('an object', isJsonObject, InboundEventShape)
  event?: JsonObject;
}

export class SimulateDto {
  @GivenInstant('At most 7 days before `to`; what happened at this very instant is left out')
  from: Instant;

  @GivenInstant('Not after now')
  to: Instant;
}
