import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { asId, notFound, ok, refuse, type Result, type RunId, type RunKey, type UserId } from '@app/kernel';
import { runKeyOf } from '@app/runs';
import { OperatedRuns } from './operated-runs';
import type { OperatedRun } from './runs.schema';

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
