import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Cursors, pageOf, type Operator } from '@app/http';
import { ok, type Result } from '@app/kernel';
import { OperatedRuns } from './operated-runs';
import type { ListOperatedRunsDto } from './runs.dto';
import type { OperatedRunPage } from './runs.schema';

/** A page of the runs that are in a state, of all users, newest first. Refuses with `invalid_cursor`. @throws Unavailable */
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
    const { cursor, limit, state } = query;
    const binding = { list: 'operator.runs', userId: operatorId, filters: { state } };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    const runs = await this.runs.list(state, before.value, limit + 1);
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
