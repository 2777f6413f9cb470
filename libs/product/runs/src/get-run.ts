import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { notFound, ok, refuse, type Result, type RunId, type UserId } from '@app/kernel';
import { ReadGate } from '@app/read-store';
import { runKeyOf } from './run-binding';
import type { RunView } from './run.schema';
import { RunQueries } from './runs.queries';

/** A run, no older than this call: after `run.ended` on the stream, a caller finds the run ended here. Refuses with `not_found`. */
export class GetRun extends Query<Result<RunView>> {
  constructor(
    readonly userId: UserId,
    readonly runId: RunId,
  ) {
    super();
  }
}

@QueryHandler(GetRun)
export class GetRunHandler implements IQueryHandler<GetRun> {
  constructor(
    private readonly runs: RunQueries,
    private readonly gate: ReadGate,
  ) {}

  async execute({ userId, runId }: GetRun): Promise<Result<RunView>> {
    const runKey = runKeyOf(userId, runId);
    let found = await this.runs.find(runKey);
    // An ended run does not change any more.
    if (found !== null && found.endedAt === null) {
      await this.gate.caughtUp();
      found = await this.runs.find(runKey);
    }
    if (found === null) return refuse(notFound);
    const { startedSeq: _, ...run } = found;
    return ok(run);
  }
}
