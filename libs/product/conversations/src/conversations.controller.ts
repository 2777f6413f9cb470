import { Body, Controller, Get, Header, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { answer, Caller, Cursors, jsonText, Operation, pageTextOf } from '@app/http';
import type { ConversationId } from '@app/kernel';
import { ConversationCommands } from './conversation-commands';
import {
  Conversation,
  conversationExamples,
  ConversationPage,
  MessagePage,
  type ConversationView,
} from './conversation.schema';
import {
  CreateConversationDto,
  ListConversationsDto,
  ListMessagesDto,
  UpdateConversationDto,
} from './conversations.dto';
import { ConversationQueries } from './conversations.queries';
import { ListConversations } from './list-conversations';

/** Conversations (docs/decisions/conversations.md). */
@Controller('/v1/users/:userId/conversations')
export class ConversationsController {
  constructor(
    private readonly conversations: ConversationCommands,
    private readonly lists: ListConversations,
    private readonly queries: ConversationQueries,
    private readonly cursors: Cursors,
  ) {}

  @Post()
  @Operation('conversations.create', {
    summary: 'Create a conversation',
    answer: Conversation,
    requestExample: { title: 'Savings' },
    answerExample: conversationExamples.created,
  })
  async create(@Caller() caller: Caller, @Body() body: CreateConversationDto): Promise<ConversationView> {
    return answer(await this.conversations.create(caller.userId, body.title ?? null, caller.cause));
  }

  @Get()
  @Operation('conversations.list', {
    summary: "The user's conversations, most recently active first",
    answer: ConversationPage,
    answerExample: conversationExamples.page,
  })
  async list(@Caller() { userId }: Caller, @Query() query: ListConversationsDto): Promise<ConversationPage> {
    const { cursor, limit, ...filter } = query;
    return answer(await this.lists.page(userId, filter, { cursor, limit }));
  }

  @Get(':conversationId')
  @Operation('conversations.get', {
    summary: 'One conversation',
    description:
      'The state at `lastSeq`: a client that opens `conversations.stream` at that cursor misses nothing and sees nothing twice.',
    answer: Conversation,
    answerExample: conversationExamples.running,
  })
  async get(@Caller() caller: Caller, @Param('conversationId') id: ConversationId): Promise<ConversationView> {
    return answer(await this.conversations.get(id, caller.userId));
  }

  @Patch(':conversationId')
  @Operation('conversations.update', {
    summary: 'Give a conversation another title',
    answer: Conversation,
    requestExample: { title: 'Savings and rent' },
    answerExample: conversationExamples.renamed,
  })
  async update(
    @Caller() caller: Caller,
    @Param('conversationId') id: ConversationId,
    @Body() body: UpdateConversationDto,
  ): Promise<ConversationView> {
    return answer(await this.conversations.rename(id, caller.userId, body.title, caller.cause));
  }

  @Post(':conversationId/archive')
  @HttpCode(204)
  @Operation('conversations.archive', {
    summary: 'Archive a conversation',
    description:
      'Answered alike when it is repeated. Refused while a run is not ended, one that waits for approval included. An archived ' +
      'conversation answers every other write with 404 and stays readable.',
    answer: null,
    reasons: ['run_active'],
  })
  async archive(@Caller() caller: Caller, @Param('conversationId') id: ConversationId): Promise<void> {
    answer(await this.conversations.archive(id, caller.userId, caller.cause));
  }

  @Get(':conversationId/messages')
  @Header(...jsonText)
  @Operation('conversations.messages', {
    summary: "A conversation's messages, oldest first",
    answer: MessagePage,
    answerExample: conversationExamples.messages,
  })
  async messages(
    @Caller() { userId }: Caller,
    @Param('conversationId') id: ConversationId,
    @Query() { cursor, limit }: ListMessagesDto,
  ): Promise<string> {
    const binding = { list: 'conversations.messages', userId, filters: { id } };
    const after = cursor === undefined ? 0 : Number(answer(this.cursors.read(binding, cursor))[0]);
    answer(await this.conversations.get(id, userId));
    const rows = await this.queries.messages(id, after, limit + 1);
    return pageTextOf(rows, limit, ({ position }) => this.cursors.mint(binding, [position]));
  }
}
