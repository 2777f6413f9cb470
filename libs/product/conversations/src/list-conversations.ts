import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Cursors, pageOf } from '@app/http';
import { ok, type Result, type UserId } from '@app/kernel';
import { Database, selectList } from '@app/read-store';
import { memberNames } from '@app/schema';
import { origins } from './conversation.events';
import { Conversation, type ConversationPage, type ConversationView } from './conversation.schema';
import { ListConversationsDto } from './conversations.dto';
import { ConversationRow, counterName } from './conversations.projection';

/**
 * A page of a user's conversations, most recently active first. The cursors of a first page that another operation returns continue here.
 * Refuses a cursor of another list, filter or user with `invalid_cursor`.
 */
export class ListConversations extends Query<Result<ConversationPage>> {
  constructor(
    readonly userId: UserId,
    readonly query: ListConversationsDto,
  ) {
    super();
  }
}

type Filter = Omit<ListConversationsDto, 'cursor' | 'limit'>;

const listed = selectList(ConversationRow, [...memberNames(Conversation), 'activityPosition'], {
  computed: {
    status: `CASE WHEN live_run_id IS NOT NULL THEN 'running' WHEN pending_approvals > 0 THEN 'awaiting_approval' ELSE 'idle' END`,
  },
});

const active = '(live_run_id IS NOT NULL OR pending_approvals > 0)';

@QueryHandler(ListConversations)
export class ListConversationsHandler implements IQueryHandler<ListConversations> {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  async execute({ userId, query }: ListConversations): Promise<Result<ConversationPage>> {
    const { cursor, limit, ...filter } = query;
    const binding = { list: 'conversations.list', userId, filters: { ...filter } };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    const [rows, total] = await Promise.all([
      this.rows(userId, filter, before.value, limit + 1),
      this.total(userId, filter),
    ]);
    const page = pageOf(
      rows,
      limit,
      ({ activityPosition: _, ...conversation }) => conversation,
      (row) => this.cursors.mint(binding, [row.activityPosition]),
    );
    return ok({ ...page, total });
  }

  private async rows(userId: UserId, filter: Filter, before: number | null, limit: number) {
    return this.database.query<ConversationView & Pick<ConversationRow, 'activityPosition'>>(
      `SELECT ${listed} FROM {conversations}
       WHERE user_id = $1 AND activity_position < $2 AND (archived_at IS NOT NULL) = $3
         AND ($4::text IS NULL OR origin = $4) AND ($5::boolean IS NULL OR ${active} = $5)
       ORDER BY activity_position DESC LIMIT $6`,
      [userId, before ?? Number.MAX_SAFE_INTEGER, filter.archived, filter.origin ?? null, filter.active ?? null, limit],
    );
  }

  /** The number of conversations that pass the filter, from maintained counters. */
  private async total(userId: UserId, filter: Filter): Promise<number> {
    const from = filter.origin === undefined ? origins : [filter.origin];
    const activities = filter.active === undefined ? [true, false] : [filter.active];
    const names = from.flatMap((origin) =>
      activities.map((isActive) => counterName(userId, origin, filter.archived, isActive)),
    );
    const [row] = await this.database.query<{ total: number }>(
      `SELECT coalesce(sum(total), 0)::bigint AS total FROM list_counters, unnest($1::text[]) AS counted
       WHERE name = '{conversations}/' || counted`,
      [names],
    );
    return row?.total ?? 0;
  }
}
