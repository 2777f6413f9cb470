import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { approvalStatuses } from '@app/consent';
import { Cursors, pageTextOf, type TextRow } from '@app/http';
import { ok, type Result, type UserId } from '@app/kernel';
import { boundedPage, Database, selectList } from '@app/read-store';
import { memberNames } from '@app/schema';
import { Approval } from './approval.schema';
import { ListApprovalsDto, type ApprovalFilter } from './approvals.dto';
import { ApprovalRow } from './approvals.projection';

/**
 * A page of the user's approvals as JSON text, newest first by the position of their opening; refuses with `invalid_cursor` a cursor
 * of another list, status or user.
 */
export class ListApprovals extends Query<Result<string>> {
  constructor(
    readonly userId: UserId,
    readonly query: ListApprovalsDto,
  ) {
    super();
  }
}

/** The members of an approval, as the API returns it. */
const members = selectList(ApprovalRow, memberNames(Approval));

@QueryHandler(ListApprovals)
export class ListApprovalsHandler implements IQueryHandler<ListApprovals> {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  async execute({ userId, query }: ListApprovals): Promise<Result<string>> {
    const { cursor, limit, status = 'pending' } = query;
    const binding = { list: 'approvals.list', userId, filters: { status } };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    const [rows, total] = await Promise.all([
      this.rows(userId, status, before.value, limit + 1),
      this.total(userId, status),
    ]);
    return ok(pageTextOf(rows, limit, ({ position }) => this.cursors.mint(binding, [position]), total));
  }

  private async rows(userId: UserId, status: ApprovalFilter, before: number | null, limit: number): Promise<TextRow[]> {
    const page = [userId, before ?? Number.MAX_SAFE_INTEGER, limit];
    // Two statements, so that each has an index in the order of its rows.
    const [where, preparedAs, parameters] =
      status === 'all'
        ? ['', 'approvals.list.all', page]
        : ['AND {approvals}.status = $4', 'approvals.list', [...page, status]];
    return this.database.query<TextRow>(
      boundedPage(
        `SELECT row_to_json(approval)::text AS text, opened_position AS position
         FROM {approvals} CROSS JOIN LATERAL (SELECT ${members}) AS approval
         WHERE user_id = $1 AND opened_position < $2 ${where} ORDER BY opened_position DESC LIMIT $3`,
      ),
      parameters,
      preparedAs,
    );
  }

  /** The length of the list, from maintained counters. */
  private async total(userId: UserId, status: ApprovalFilter): Promise<number> {
    const names = (status === 'all' ? approvalStatuses : [status]).map((one) => `${userId}/${one}`);
    const [row] = await this.database.query<{ total: number }>(
      `SELECT coalesce(sum(total), 0)::bigint AS total FROM list_counters, unnest($1::text[]) AS counted
       WHERE name = '{approvals}/' || counted`,
      [names],
      'approvals.total',
    );
    return row?.total ?? 0;
  }
}
