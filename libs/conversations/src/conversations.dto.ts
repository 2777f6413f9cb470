import { CursorText, BooleanText, IntegerText, OneOf, Optional, Text } from '@app/http';
import { limits } from '@app/kernel';

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

  @IntegerText({ min: 1, max: limits.listLimitMax, default: limits.listLimitDefault })
  limit: number;

  @Optional()
  @OneOf(['conversation', 'automation'])
  origin?: 'conversation' | 'automation';

  @BooleanText({ default: false })
  archived: boolean;

  @Optional()
  @BooleanText()
  active?: boolean;
}

export class ListMessagesDto {
  @Optional()
  @CursorText()
  cursor?: string;

  @IntegerText({ min: 1, max: limits.listLimitMax, default: limits.listLimitDefault })
  limit: number;
}
