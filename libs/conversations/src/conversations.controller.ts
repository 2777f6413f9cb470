import { Body, Controller, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { answer, Caller, Cursors, Operation, pageOf, type Page } from '@app/http';
import type { ConversationId } from '@app/kernel';
import { ConversationCommands } from './conversation-commands';
import {
  CreateConversationDto,
  ListConversationsDto,
  ListMessagesDto,
  UpdateConversationDto,
} from './conversations.dto';
import { ConversationQueries, type ConversationView } from './conversations.queries';
import type { MessageRow } from './conversation.row';
import { ListConversations, type ConversationPage } from './list-conversations';

/** Conversations (decisions.md, section 2). */
@Controller('/v1/users/:userId/conversations')
export class ConversationsController {
  constructor(
    private readonly conversations: ConversationCommands,
    private readonly lists: ListConversations,
    private readonly queries: ConversationQueries,
    private readonly cursors: Cursors,
  ) {}

  @Post()
  @Operation('conversations.create')
  async create(@Caller() caller: Caller, @Body() body: CreateConversationDto): Promise<ConversationView> {
    return answer(await this.conversations.create(caller.userId, body.title ?? null, caller.cause));
  }

  @Get()
  @Operation('conversations.list')
  async list(@Caller() { userId }: Caller, @Query() query: ListConversationsDto): Promise<ConversationPage> {
    const { cursor, limit, ...filter } = query;
    return answer(await this.lists.page(userId, filter, { cursor, limit }));
  }

  @Get(':conversationId')
  @Operation('conversations.get')
  async get(@Caller() caller: Caller, @Param('conversationId') id: ConversationId): Promise<ConversationView> {
    return answer(await this.conversations.get(id, caller.userId));
  }

  @Patch(':conversationId')
  @Operation('conversations.update')
  async update(
    @Caller() caller: Caller,
    @Param('conversationId') id: ConversationId,
    @Body() body: UpdateConversationDto,
  ): Promise<ConversationView> {
    return answer(await this.conversations.rename(id, caller.userId, body.title, caller.cause));
  }

  @Post(':conversationId/archive')
  @HttpCode(204)
  @Operation('conversations.archive')
  async archive(@Caller() caller: Caller, @Param('conversationId') id: ConversationId): Promise<void> {
    answer(await this.conversations.archive(id, caller.userId, caller.cause));
  }

  @Get(':conversationId/messages')
  @Operation('conversations.messages')
  async messages(
    @Caller() { userId }: Caller,
    @Param('conversationId') id: ConversationId,
    @Query() { cursor, limit }: ListMessagesDto,
  ): Promise<Page<Omit<MessageRow, 'position' | 'conversationId'>>> {
    const binding = { list: 'conversations.messages', userId, filters: { id } };
    const after = cursor === undefined ? 0 : Number(answer(this.cursors.read(binding, cursor))[0]);
    answer(await this.conversations.get(id, userId));
    const rows = await this.queries.messages(id, after, limit + 1);
    return pageOf(
      rows,
      limit,
      (row) => row,
      (row) => this.cursors.mint(binding, [row.seq]),
    );
  }
}
