import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Cursors, pageOf } from '@app/http';
import { Clock, ok, type Result, type UserId } from '@app/kernel';
import { boundedPage, Database, membersOf, selectList } from '@app/read-store';
import type { Page } from '@app/schema';
import { unlisted, viewOfRow, type AutomationView, type ListedAutomation } from '../views/automation.view';
import { ListAutomationsDto } from '../views/automations.dto';
import { AutomationRow } from '../automation/read-model/automation.row';
import { statesOf, type StateFilter } from '../automation/read-model/state-filter';

const columns = selectList(AutomationRow, membersOf(AutomationRow, unlisted));

type AutomationsPage = Page<AutomationView> & { readonly total: number };

/**
 * A page of the user's automations, newest first by the position of their creation; without a state, all that are not archived.
 * Refuses with `invalid_cursor`. @throws Unavailable
 */
export class ListAutomations extends Query<Result<AutomationsPage>> {
  constructor(
    readonly userId: UserId,
    readonly query: ListAutomationsDto,
  ) {
    super();
  }
}

@QueryHandler(ListAutomations)
export class ListAutomationsHandler implements IQueryHandler<ListAutomations> {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, query }: ListAutomations): Promise<Result<AutomationsPage>> {
    const { cursor, limit, state = 'current' } = query;
    const binding = { list: 'automations.list', userId, filters: { state } };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    const [rows, total] = await Promise.all([
      this.rows(userId, state, before.value, limit + 1),
      this.total(userId, state),
    ]);
    const now = this.clock.now();
    const page = pageOf(
      rows,
      limit,
      (row) => viewOfRow(row, now),
      ({ openedPosition }) => this.cursors.mint(binding, [openedPosition]),
    );
    return ok({ ...page, total });
  }

  private async rows(
    userId: UserId,
    state: StateFilter,
    before: number | null,
    limit: number,
  ): Promise<ListedAutomation[]> {
    return this.database.query(
      boundedPage(
        `SELECT ${columns}, opened_position AS position FROM {automations}
         WHERE user_id = $1 AND opened_position < $2 AND state = ANY($3) ORDER BY opened_position DESC LIMIT $4`,
        'definition::text',
      ),
      [userId, before ?? Number.MAX_SAFE_INTEGER, statesOf(state), limit],
      'automations.list',
    );
  }

  /** The length of the list, from the read model's counters. */
  private async total(userId: UserId, state: StateFilter): Promise<number> {
    const [row] = await this.database.query<{ total: number }>(
      `SELECT coalesce(sum(total), 0)::bigint AS total FROM list_counters, unnest($1::text[]) AS counted
       WHERE name = '{automations}/' || counted`,
      [statesOf(state).map((one) => `${userId}/${one}`)],
      'automations.total',
    );
    return row?.total ?? 0;
  }
}
