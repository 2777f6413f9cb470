import { Module } from '@nestjs/common';
import { QuotasModule } from '@app/quotas';
import { conversationCommands } from './change-conversation';
import { conversationQueries } from './conversation.queries';
import { ConversationsController } from './conversations.controller';
import { RateMessageHandler } from './rate-message';

@Module({
  imports: [QuotasModule],
  controllers: [ConversationsController],
  providers: [...conversationCommands, RateMessageHandler, ...conversationQueries],
})
export class ConversationsModule {}
