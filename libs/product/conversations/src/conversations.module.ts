import { Module } from '@nestjs/common';
import { ArchiveConversationHandler } from './archive-conversation';
import {
  ConversationRow,
  conversationsMigrations,
  conversationsProjection,
  MessageRow,
  messagesProjection,
} from './conversations.projection';
import { ConversationsController } from './conversations.controller';
import { CreateConversationHandler } from './create-conversation';
import { GetConversationHandler } from './get-conversation';
import { ListConversationsHandler } from './list-conversations';
import { ListMessagesHandler } from './list-messages';
import { RenameConversationHandler } from './rename-conversation';

@Module({
  controllers: [ConversationsController],
  providers: [
    ArchiveConversationHandler,
    CreateConversationHandler,
    GetConversationHandler,
    ListConversationsHandler,
    ListMessagesHandler,
    RenameConversationHandler,
  ],
})
export class ConversationsModule {}

/** What the slice keeps in PostgreSQL. */
export const conversationsReadModel = {
  rows: [ConversationRow, MessageRow],
  migrations: conversationsMigrations,
  projections: [conversationsProjection, messagesProjection],
};
