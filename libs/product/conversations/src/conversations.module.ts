import { Module } from '@nestjs/common';
import { QuotasModule } from '@app/quotas';
import {
  ConversationRow,
  conversationsMigrations,
  conversationsProjection,
  MessageRow,
  messagesProjection,
} from './conversations.projection';
import { ConversationsController, conversationsHandlers } from './conversations.controller';

@Module({
  imports: [QuotasModule],
  controllers: [ConversationsController],
  providers: conversationsHandlers,
})
export class ConversationsModule {}

/** The slice's tables, migrations and projections in PostgreSQL. */
export const conversationsReadModel = {
  rows: [ConversationRow, MessageRow],
  migrations: conversationsMigrations,
  projections: [conversationsProjection, messagesProjection],
};
