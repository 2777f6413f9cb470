import { Injectable } from '@nestjs/common';
import { Cursors, pageOf } from '@app/http';
import { ok, type Result, type UserId } from '@app/kernel';
import type { ConversationPage } from './conversation.schema';
import { ConversationQueries, type ConversationFilter } from './conversations.queries';

/** `conversations.list`; whoever shows a first page of it elsewhere gets the very cursors that continue it there. */
@Injectable()
export class ListConversations {
  constructor(
    private readonly queries: ConversationQueries,
    private readonly cursors: Cursors,
  ) {}

  /** The user's conversations, most recently active first; `invalid_cursor` for a cursor of another list, filter or user. */
  async page(
    userId: UserId,
    filter: ConversationFilter,
    { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
  ): Promise<Result<ConversationPage>> {
    const binding = { list: 'conversations.list', userId, filters: { ...filter } };
    const read = cursor === undefined ? null : this.cursors.read(binding, cursor);
    if (read?.ok === false) return read;
    const before = read === null ? null : Number(read.value[0]);
    const [rows, total] = await Promise.all([
      this.queries.list(userId, filter, before, limit + 1),
      this.queries.total(userId, filter),
    ]);
    const page = pageOf(
      rows,
      limit,
      ({ activityPosition: _, ...conversation }) => conversation,
      (row) => this.cursors.mint(binding, [row.activityPosition]),
    );
    return ok({ ...page, total });
  }
}
