import { Module } from '@nestjs/common';
import { ConversationCommands } from './conversation-commands';
import {
  ConversationRow,
  conversationsMigrations,
  conversationsProjection,
  MessageRow,
  messagesProjection,
} from './conversations.projection';
import { ConversationsController } from './conversations.controller';
import { ConversationQueries } from './conversations.queries';
import { ListConversations } from './list-conversations';

@Module({
  controllers: [ConversationsController],
  providers: [ConversationCommands, ConversationQueries, ListConversations],
  exports: [ListConversations],
})
export class ConversationsModule {}

/** What the slice keeps in PostgreSQL. */
export const conversationsReadModel = {
  rows: [ConversationRow, MessageRow],
  migrations: conversationsMigrations,
  projections: [conversationsProjection, messagesProjection],
};
