import { Body, Controller, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { answer, Caller, Serves } from '@app/http';
import type { ConversationId, MessageId } from '@app/kernel';
import { ArchiveConversation, CreateConversation, RenameConversation } from './change-conversation';
import type { ConversationPage, ConversationView } from './conversation.schema';
import * as contract from './conversations.contract';
import { RateMessage } from './rate-message';
import { GetConversation, ListConversations, ListMessages } from './conversation.queries';

/** Conversations (docs/decisions/conversations.md). */
@Controller()
export class ConversationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Serves(contract.createConversation)
  async create(
    @Caller() { userId, cause }: Caller,
    @Body() { title }: contract.CreateConversationDto,
  ): Promise<ConversationView> {
    return answer(await this.commands.execute(new CreateConversation(userId, title ?? null, cause)));
  }

  @Serves(contract.listConversations)
  async list(@Caller() { userId }: Caller, @Query() query: contract.ListConversationsDto): Promise<ConversationPage> {
    return answer(await this.queries.execute(new ListConversations(userId, query)));
  }

  @Serves(contract.getConversation)
  async get(@Caller() { userId }: Caller, @Param('conversationId') id: ConversationId): Promise<ConversationView> {
    return answer(await this.queries.execute(new GetConversation(userId, id)));
  }

  @Serves(contract.updateConversation)
  async update(
    @Caller() { userId, cause }: Caller,
    @Param('conversationId') id: ConversationId,
    @Body() { title }: contract.UpdateConversationDto,
  ): Promise<ConversationView> {
    return answer(await this.commands.execute(new RenameConversation(userId, id, title, cause)));
  }

  @Serves(contract.archiveConversation)
  async archive(@Caller() { userId, cause }: Caller, @Param('conversationId') id: ConversationId): Promise<void> {
    answer(await this.commands.execute(new ArchiveConversation(userId, id, cause)));
  }

  @Serves(contract.rateMessage)
  async rate(
    @Caller() { userId, cause }: Caller,
    @Param('conversationId') id: ConversationId,
    @Param('messageId') messageId: MessageId,
    @Body() { rating, text }: contract.RateMessageDto,
  ): Promise<void> {
    answer(await this.commands.execute(new RateMessage(userId, id, messageId, { rating, text: text ?? null }, cause)));
  }

  @Serves(contract.listMessages)
  async messages(
    @Caller() { userId }: Caller,
    @Param('conversationId') id: ConversationId,
    @Query() page: contract.ListMessagesDto,
  ): Promise<string> {
    return answer(await this.queries.execute(new ListMessages(userId, id, page)));
  }
}
