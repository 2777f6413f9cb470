import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Cursors, pageTextOf, type TextRow } from '@app/http';
import { ok, type Result, type UserId } from '@app/kernel';
import { boundedPage, Database } from '@app/read-store';
import { ListRunsDto } from './runs.dto';
import { runMembers } from './runs.queries';

/** A page of a user's runs as JSON text, newest first by the position of their `run.started`. Refuses with `invalid_cursor`. */
export class ListRuns extends Query<Result<string>> {
  constructor(
    readonly userId: UserId,
    readonly query: ListRunsDto,
  ) {
    super();
  }
}

@QueryHandler(ListRuns)
export class ListRunsHandler implements IQueryHandler<ListRuns> {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  async execute({ userId, query }: ListRuns): Promise<Result<string>> {
    const { cursor, limit } = query;
    const conversationId = query.conversationId ?? null;
    const binding = { list: 'runs.list', userId, filters: { conversationId } };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    const [rows, total] = await Promise.all([
      this.rows(userId, conversationId, before.value, limit + 1),
      this.total(userId, conversationId),
    ]);
    return ok(pageTextOf(rows, limit, ({ position }) => this.cursors.mint(binding, [position]), total));
  }

  private async rows(
    userId: UserId,
    conversationId: string | null,
    before: number | null,
    limit: number,
  ): Promise<TextRow[]> {
    const page = [userId, before ?? Number.MAX_SAFE_INTEGER, limit];
    // Two statements, so that each has an index in the order of its rows.
    const [where, preparedAs, parameters] =
      conversationId === null
        ? ['', 'runs.list', page]
        : ['AND conversation_id = $4', 'runs.list.of_conversation', [...page, conversationId]];
    return this.database.query<TextRow>(
      boundedPage(
        `SELECT row_to_json(run)::text AS text, opened_position AS position
         FROM {runs} CROSS JOIN LATERAL (SELECT ${runMembers}) AS run
         WHERE user_id = $1 AND opened_position < $2 ${where} ORDER BY opened_position DESC LIMIT $3`,
      ),
      parameters,
      preparedAs,
    );
  }

  /** The length of the list, from maintained counters. */
  private async total(userId: UserId, conversationId: string | null): Promise<number> {
    const counted = conversationId === null ? userId : `${userId}/${conversationId}`;
    const [row] = await this.database.query<{ total: number }>(
      `SELECT total FROM list_counters WHERE name = '{runs}/' || $1`,
      [counted],
      'runs.total',
    );
    return row?.total ?? 0;
  }
}
