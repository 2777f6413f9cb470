import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Cursors, pageOf } from '@app/http';
import { asId, invalid, notFound, ok, refuse, type Result, type RunId, type RunKey, type UserId } from '@app/kernel';
import { runKeyOf } from '@app/runs';
import { OperatedRuns } from './operated-runs';
import type { ListOperatedRunsDto, OperatedRun, OperatedRunPage } from './runs.schema';
import { OperatorQuery, withoutPosition } from '../operator-query';

/**
 * Returns a page of the runs in a state, or of a user, newest first. Refuses with `invalid_cursor`, and with
 * `invalid_input` if the runs that ended are requested without a user. @throws Unavailable
 */
export class ListOperatedRuns extends OperatorQuery<ListOperatedRunsDto, OperatedRunPage> {}

@QueryHandler(ListOperatedRuns)
export class ListOperatedRunsHandler implements IQueryHandler<ListOperatedRuns> {
  constructor(
    private readonly runs: OperatedRuns,
    private readonly cursors: Cursors,
  ) {}

  async execute({ operator: { operatorId }, asked: query }: ListOperatedRuns): Promise<Result<OperatedRunPage>> {
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
    return ok(pageOf(runs, limit, withoutPosition, ({ position }) => this.cursors.mint(binding, [position])));
  }
}

/** Returns a run and its worker. Refuses with `not_found`. @throws Unavailable */
export class ShowRun extends Query<Result<OperatedRun>> {
  /** @param user owner of the run, if `runKey` is the id that the owner gave it; null if it is the key itself */
  constructor(
    readonly runKey: RunKey,
    readonly user: UserId | null,
  ) {
    super();
  }
}

@QueryHandler(ShowRun)
export class ShowRunHandler implements IQueryHandler<ShowRun> {
  constructor(private readonly runs: OperatedRuns) {}

  async execute({ runKey, user }: ShowRun): Promise<Result<OperatedRun>> {
    const run = await this.runs.find(user === null ? runKey : runKeyOf(user, asId<RunId>(runKey)));
    return run === null ? refuse(notFound) : ok(run);
  }
}
