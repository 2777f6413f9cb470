import { BooleanText, CursorText, Describe, IntegerText, OneOf, Optional, Text } from '@app/http';
import { limits } from '@app/kernel';
import { origins, type Origin } from './conversation.events';

export class CreateConversationDto {
  @Optional()
  @Text({ min: 1, max: limits.titleLengthMax })
  title?: string;
}

export class UpdateConversationDto {
  @Text({ min: 1, max: limits.titleLengthMax })
  title: string;
}

export class ListConversationsDto {
  @Optional()
  @CursorText()
  cursor?: string;

  @Describe('How many at most')
  @IntegerText({ min: 1, max: limits.listLimitMax, default: limits.listLimitDefault })
  limit: number;

  @Optional()
  @Describe('Only those that the user began, or only those that automations began')
  @OneOf(origins)
  origin?: Origin;

  @Describe('Only archived ones, or only those that are not')
  @BooleanText({ default: false })
  archived: boolean;

  @Optional()
  @Describe('Only those where a run is live or an approval waits, or only the others')
  @BooleanText()
  active?: boolean;
}

export class ListMessagesDto {
  @Optional()
  @CursorText()
  cursor?: string;

  @Describe('How many at most')
  @IntegerText({ min: 1, max: limits.listLimitMax, default: limits.listLimitDefault })
  limit: number;
}
