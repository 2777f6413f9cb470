import { Member, PageQuery, QueryMember } from '@app/http';
import { limits } from '@app/kernel';
import { boolean, oneOf, optional, text } from '@app/schema';
import { origins, type Origin } from './conversation.events';

const title = text({ min: 1, max: limits.titleLengthMax, description: 'What lists show; the agent does not read it' });

export class CreateConversationDto {
  @Member(optional(title))
  title?: string;
}

export class UpdateConversationDto {
  @Member(title)
  title: string;
}

export class ListConversationsDto extends PageQuery {
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
