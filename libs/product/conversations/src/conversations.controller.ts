import { Body, Controller, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { answer, Caller, PageQuery, Serves } from '@app/http';
import type { ConversationId } from '@app/kernel';
import { ArchiveConversation, ArchiveConversationHandler } from './archive-conversation';
import type { ConversationPage, ConversationView } from './conversation.schema';
import { CreateConversationDto, ListConversationsDto, UpdateConversationDto } from './conversations.dto';
import { CreateConversation, CreateConversationHandler } from './create-conversation';
import { GetConversation, GetConversationHandler } from './get-conversation';
import { ListConversations, ListConversationsHandler } from './list-conversations';
import { ListMessages, ListMessagesHandler } from './list-messages';
import { RenameConversation, RenameConversationHandler } from './rename-conversation';
import {
  createConversation,
  listConversations,
  getConversation,
  updateConversation,
  archiveConversation,
  listMessages,
} from './conversations.contract';

/** Conversations (docs/decisions/conversations.md). */
@Controller()
export class ConversationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Serves(createConversation)
  async create(
    @Caller() { userId, cause }: Caller,
    @Body() { title }: CreateConversationDto,
  ): Promise<ConversationView> {
    return answer(await this.commands.execute(new CreateConversation(userId, title ?? null, cause)));
  }

  @Serves(listConversations)
  async list(@Caller() { userId }: Caller, @Query() query: ListConversationsDto): Promise<ConversationPage> {
    return answer(await this.queries.execute(new ListConversations(userId, query)));
  }

  @Serves(getConversation)
  async get(@Caller() { userId }: Caller, @Param('conversationId') id: ConversationId): Promise<ConversationView> {
    return answer(await this.queries.execute(new GetConversation(userId, id)));
  }

  @Serves(updateConversation)
  async update(
    @Caller() { userId, cause }: Caller,
    @Param('conversationId') id: ConversationId,
    @Body() { title }: UpdateConversationDto,
  ): Promise<ConversationView> {
    return answer(await this.commands.execute(new RenameConversation(userId, id, title, cause)));
  }

  @Serves(archiveConversation)
  async archive(@Caller() { userId, cause }: Caller, @Param('conversationId') id: ConversationId): Promise<void> {
    answer(await this.commands.execute(new ArchiveConversation(userId, id, cause)));
  }

  @Serves(listMessages)
  async messages(
    @Caller() { userId }: Caller,
    @Param('conversationId') id: ConversationId,
    @Query() page: PageQuery,
  ): Promise<string> {
    return answer(await this.queries.execute(new ListMessages(userId, id, page)));
  }
}

/** The handlers of the commands and queries that it executes. */
export const conversationsHandlers = [
  ArchiveConversationHandler,
  CreateConversationHandler,
  GetConversationHandler,
  ListConversationsHandler,
  ListMessagesHandler,
  RenameConversationHandler,
];
