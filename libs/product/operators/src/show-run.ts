import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { notFound, ok, refuse, type Result, type RunKey } from '@app/kernel';
import { OperatedRuns } from './operated-runs';
import type { OperatedRun } from './runs.schema';

/** A run and who executes it. Refuses with `not_found`. @throws Unavailable */
export class ShowRun extends Query<Result<OperatedRun>> {
  constructor(readonly runKey: RunKey) {
    super();
  }
}

@QueryHandler(ShowRun)
export class ShowRunHandler implements IQueryHandler<ShowRun> {
  constructor(private readonly runs: OperatedRuns) {}

  async execute({ runKey }: ShowRun): Promise<Result<OperatedRun>> {
    const run = await this.runs.find(runKey);
    return run === null ? refuse(notFound) : ok(run);
  }
}
