import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Cursors, pageOf } from '@app/http';
import { Clock, ok, type AutomationId, type Result, type UserId } from '@app/kernel';
import { boundedPage, Database, membersOf, selectList } from '@app/read-store';
import type { Page } from '@app/schema';
import { KeyRing } from '@app/sealing';
import { answerOf, unlisted, viewOfRow, type AutomationView, type ListedAutomation } from '../views/automation.view';
import { AutomationReader } from '../automation/automation-reader';
import { ListAutomationsDto } from '../views/automations.dto';
import { AutomationRow, statesOf, type StateFilter } from '../automation/read-model/automation.row';
import { openDefinitions } from '../definition/open-definitions';

/** The automation, current as of the call, folded from its stream. Refuses with `not_found`. @throws Unavailable */
export class GetAutomation extends Query<Result<AutomationView>> {
  constructor(
    readonly userId: UserId,
    readonly automationId: AutomationId,
  ) {
    super();
  }
}

@QueryHandler(GetAutomation)
class GetAutomationHandler implements IQueryHandler<GetAutomation> {
  constructor(
    private readonly reader: AutomationReader,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, automationId }: GetAutomation): Promise<Result<AutomationView>> {
    const automation = await this.reader.find(userId, automationId);
    return answerOf(automationId, automation, this.clock.now());
  }
}

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
class ListAutomationsHandler implements IQueryHandler<ListAutomations> {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly cursors: Cursors,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, query }: ListAutomations): Promise<Result<AutomationsPage>> {
    const { cursor, limit, state = 'current' } = query;
    const binding = { list: 'automations.list', userId, filters: { state } };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    const counters = statesOf(state).map((one) => `${userId}/${one}`);
    const [rows, total] = await Promise.all([
      this.rows(userId, state, before.value, limit + 1),
      this.database.counted('automations', counters),
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
    const rows = await this.database.query<ListedAutomation>(
      boundedPage(
        `SELECT ${columns}, opened_position AS position FROM {automations}
         WHERE user_id = $1 AND opened_position < $2 AND state = ANY($3) ORDER BY opened_position DESC LIMIT $4`,
        'definition::text',
      ),
      [userId, before ?? Number.MAX_SAFE_INTEGER, statesOf(state), limit],
      'automations.list',
    );
    return openDefinitions(this.keys, rows);
  }
}

export const automationQueries = [GetAutomationHandler, ListAutomationsHandler];
