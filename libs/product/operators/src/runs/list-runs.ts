import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Cursors, pageOf, type Operator } from '@app/http';
import { asId, invalid, ok, refuse, type Result, type UserId } from '@app/kernel';
import { OperatedRuns } from './operated-runs';
import type { ListOperatedRunsDto } from './runs.dto';
import type { OperatedRunPage } from './runs.schema';

/**
 * Returns a page of the runs in a state, or of a user, newest first. Refuses with `invalid_cursor`, and with
 * `invalid_input` if the runs that ended are requested without a user. @throws Unavailable
 */
export class ListOperatedRuns extends Query<Result<OperatedRunPage>> {
  constructor(
    readonly operator: Operator,
    readonly query: ListOperatedRunsDto,
  ) {
    super();
  }
}

@QueryHandler(ListOperatedRuns)
export class ListOperatedRunsHandler implements IQueryHandler<ListOperatedRuns> {
  constructor(
    private readonly runs: OperatedRuns,
    private readonly cursors: Cursors,
  ) {}

  async execute({ operator: { operatorId }, query }: ListOperatedRuns): Promise<Result<OperatedRunPage>> {
    const { cursor, limit } = query;
    const user = query.user === undefined ? null : asId<UserId>(query.user);
    const state = query.state ?? (user === null ? 'live' : null);
    // A user's ended runs are few compared with all that ever ended.
    if (state === 'ended' && user === null) return refuse(invalid('/user', 'must be given with the state `ended`'));
    const filters = { state: state ?? 'all', user: user ?? 'all' };
    const binding = { list: 'operator.runs', userId: operatorId, filters };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    const runs = await this.runs.list({ state, user }, before.value, limit + 1);
    return ok(
      pageOf(
        runs,
        limit,
        ({ position: _, ...run }) => run,
        ({ position }) => this.cursors.mint(binding, [position]),
      ),
    );
  }
}
