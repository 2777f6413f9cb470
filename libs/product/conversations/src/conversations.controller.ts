import { Body, Controller, Param, Query } from '@nestjs/common';
import { answer, Caller, Cursors, PageQuery, pageTextOf, Serves } from '@app/http';
import type { ConversationId } from '@app/kernel';
import { ConversationCommands } from './conversation-commands';
import { ConversationPage, type ConversationView } from './conversation.schema';
import { CreateConversationDto, ListConversationsDto, UpdateConversationDto } from './conversations.dto';
import { ConversationQueries } from './conversations.queries';
import { ListConversations } from './list-conversations';
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
    private readonly conversations: ConversationCommands,
    private readonly lists: ListConversations,
    private readonly queries: ConversationQueries,
    private readonly cursors: Cursors,
  ) {}

  @Serves(createConversation)
  async create(@Caller() caller: Caller, @Body() body: CreateConversationDto): Promise<ConversationView> {
    return answer(await this.conversations.create(caller.userId, body.title ?? null, caller.cause));
  }

  @Serves(listConversations)
  async list(@Caller() { userId }: Caller, @Query() query: ListConversationsDto): Promise<ConversationPage> {
    const { cursor, limit, ...filter } = query;
    return answer(await this.lists.page(userId, filter, { cursor, limit }));
  }

  @Serves(getConversation)
  async get(@Caller() caller: Caller, @Param('conversationId') id: ConversationId): Promise<ConversationView> {
    return answer(await this.conversations.get(id, caller.userId));
  }

  @Serves(updateConversation)
  async update(
    @Caller() caller: Caller,
    @Param('conversationId') id: ConversationId,
    @Body() body: UpdateConversationDto,
  ): Promise<ConversationView> {
    return answer(await this.conversations.rename(id, caller.userId, body.title, caller.cause));
  }

  @Serves(archiveConversation)
  async archive(@Caller() caller: Caller, @Param('conversationId') id: ConversationId): Promise<void> {
    answer(await this.conversations.archive(id, caller.userId, caller.cause));
  }

  @Serves(listMessages)
  async messages(
    @Caller() { userId }: Caller,
    @Param('conversationId') id: ConversationId,
    @Query() { cursor, limit }: PageQuery,
  ): Promise<string> {
    const binding = { list: 'conversations.messages', userId, filters: { id } };
    const after = cursor === undefined ? 0 : Number(answer(this.cursors.read(binding, cursor))[0]);
    answer(await this.conversations.get(id, userId));
    const rows = await this.queries.messages(id, after, limit + 1);
    return pageTextOf(rows, limit, ({ position }) => this.cursors.mint(binding, [position]));
  }
}
