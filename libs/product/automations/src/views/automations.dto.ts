import { Member, PageQuery, QueryMember } from '@app/http';
import { isJsonObject, type Instant, type JsonObject } from '@app/kernel';
import { custom, givenInstant, integer, oneOf, optional, text, uuid } from '@app/schema';
import { deliveries, stateFilters } from '../automation/read-model/automation.row';
import type { OccurrenceDelivery, StateFilter } from '../automation/read-model/automation.row';
import { definitionShape } from '../definition/definition.schema';
import { eventDataShape, InboundEventShape } from '../inputs/inbound-event';

const queryLengthMax = 120;

const state = oneOf(stateFilters, { description: '`current`: all that are not archived, which is the default' });

export class ListAutomationsDto extends PageQuery {
  @Member(optional(state))
  state?: StateFilter;
}

export class SearchAutomationsDto {
  @Member(
    optional(
      text({
        min: 0,
        max: queryLengthMax,
        description:
          'Every word must be a whole word of name, prompt or rule, in any case; absent, everything is found',
        examples: ['portfolio near'],
      }),
    ),
  )
  query?: string;

  @Member(optional(state))
  state?: StateFilter;

  @QueryMember(
    integer({
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: 'The `nextOffset` of the page before',
    }),
  )
  offset: number;
}

/** Any form is accepted: a revision other than the current one is refused anyway. */
export class RevisionDto {
  @Member(text({ description: 'The `revision` just read; any that is not the present one is `automation_changed`' }))
  revision: string;
}

export class UpdateAutomationDto extends RevisionDto {
  /** Parsed strictly by the use case. */
  @Member(custom(definitionShape, isJsonObject, 'must be an object'))
  definition: JsonObject;
}

/** Body of `signal` and of `invoke`. */
export class HandedInputDto extends RevisionDto {
  @Member(uuid({ description: 'Chosen by the caller: the same key answers the same outcome' }))
  idempotencyKey: string;

  @Member(
    optional({
      ...eventDataShape,
      description: '`data` of the event; `{}` when absent. At most 16 KiB as serialized, 8 levels, 256 entries',
    }),
  )
  input?: JsonObject;
}

export class ListOccurrencesDto extends PageQuery {
  @Member(optional(oneOf(deliveries, { description: 'Only those that stand so; absent, all' })))
  delivery?: OccurrenceDelivery;
}

export class TestConditionDto {
  /** Parsed strictly by the use case. */
  @Member(optional(custom(InboundEventShape, isJsonObject, 'must be an object')))
  event?: JsonObject;
}

export class SimulateDto {
  @Member(givenInstant({ description: 'At most 7 days before `to`; what happened at this very instant is left out' }))
  from: Instant;

  @Member(givenInstant({ description: 'Not after now' }))
  to: Instant;
}
