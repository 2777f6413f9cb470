import { cursor, Member, QueryMember } from '@app/http';
import { limits } from '@app/kernel';
import { boolean, integer, oneOf, optional, text } from '@app/schema';
import { origins, type Origin } from './conversation.events';

const title = text({ min: 1, max: limits.titleLengthMax });

export class CreateConversationDto {
  @Member(optional(title))
  title?: string;
}

export class UpdateConversationDto {
  @Member(title)
  title: string;
}

export class ListConversationsDto {
  @Member(cursor())
  cursor?: string;

  @QueryMember(
    integer({
      min: 1,
      max: limits.listLimitMax,
      default: limits.listLimitDefault,
      description: 'How many at most',
    }),
  )
  limit: number;

  @Member(
    optional(oneOf(origins, { description: 'Only those that the user began, or only those that automations began' })),
  )
  origin?: Origin;

  @QueryMember(boolean({ default: false, description: 'Only archived ones, or only those that are not' }))
  archived: boolean;

  @QueryMember(
    optional(boolean({ description: 'Only those where a run is live or an approval waits, or only the others' })),
  )
  active?: boolean;
}

export class ListMessagesDto {
  @Member(cursor())
  cursor?: string;

  @QueryMember(
    integer({
      min: 1,
      max: limits.listLimitMax,
      default: limits.listLimitDefault,
      description: 'How many at most',
    }),
  )
  limit: number;
}
