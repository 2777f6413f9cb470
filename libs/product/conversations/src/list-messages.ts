import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { FoldedStates } from '@app/event-store';
import { Cursors, PageQuery, pageTextOf, type TextRow } from '@app/http';
import { notFound, ok, refuse, type ConversationId, type Result, type UserId } from '@app/kernel';
import { boundedPage, Database, selectList } from '@app/read-store';
import { memberNames } from '@app/schema';
import { Message } from './conversation.schema';
import { conversationKind } from './conversation.stream';
import { MessageRow } from './conversations.projection';

/** A page of a conversation's messages as JSON text, oldest first by their `seq`. Refuses with `invalid_cursor`, `not_found`. */
export class ListMessages extends Query<Result<string>> {
  constructor(
    readonly userId: UserId,
    readonly conversationId: ConversationId,
    readonly page: PageQuery,
  ) {
    super();
  }
}

@QueryHandler(ListMessages)
export class ListMessagesHandler implements IQueryHandler<ListMessages> {
  constructor(
    private readonly database: Database,
    private readonly states: FoldedStates,
    private readonly cursors: Cursors,
  ) {}

  async execute({ userId, conversationId: id, page: { cursor, limit } }: ListMessages): Promise<Result<string>> {
    const binding = { list: 'conversations.messages', userId, filters: { id } };
    const after = this.cursors.startOf(binding, cursor);
    if (!after.ok) return after;
    const { state } = await this.states.fresh(conversationKind, id);
    if (state.userId !== userId) return refuse(notFound);
    const rows = await this.rows(id, after.value ?? 0, limit + 1);
    return ok(pageTextOf(rows, limit, ({ position }) => this.cursors.mint(binding, [position])));
  }

  private async rows(id: ConversationId, afterSeq: number, limit: number): Promise<TextRow[]> {
    const page = `SELECT row_to_json(message)::text AS text, {messages}.seq AS position
      FROM {messages} CROSS JOIN LATERAL (SELECT ${selectList(MessageRow, memberNames(Message))}) AS message
      WHERE conversation_id = $1 AND {messages}.seq > $2 ORDER BY {messages}.seq LIMIT $3`;
    return this.database.query(boundedPage(page, 'text', 'ASC'), [id, afterSeq, limit]);
  }
}
