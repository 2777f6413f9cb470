import { Body, Controller, Param, Query } from '@nestjs/common';
import { answer, Caller, Cursors, pageTextOf, Serves } from '@app/http';
import { notFound, refuse, type RunId } from '@app/kernel';
import { AbortRun } from './abort-run';
import { runKeyOf } from './run-binding';
import { StartedRun, type RunView } from './run.schema';
import { ListRunsDto } from './runs.dto';
import { RunQueries, runView } from './runs.queries';
import { StartRun } from './start-run';
import { startRun, listRuns, getRun, abortRun } from './runs.contract';

/** Agent runs (specification, "Agent runs"; docs/decisions/runs.md). */
@Controller()
export class RunsController {
  constructor(
    private readonly starting: StartRun,
    private readonly aborting: AbortRun,
    private readonly queries: RunQueries,
    private readonly cursors: Cursors,
  ) {}

  // The body is validated by the use case: a replay comes first.
  @Serves(startRun)
  async start(@Caller() caller: Caller, @Body() body: unknown): Promise<StartedRun> {
    return answer(await this.starting.start(caller.userId, body, caller.cause));
  }

  @Serves(listRuns)
  async list(@Caller() { userId }: Caller, @Query() query: ListRunsDto): Promise<string> {
    const { cursor, limit } = query;
    const conversationId = query.conversationId ?? null;
    const binding = { list: 'runs.list', userId, filters: { conversationId } };
    const before = cursor === undefined ? null : Number(answer(this.cursors.read(binding, cursor))[0]);
    const [rows, total] = await Promise.all([
      this.queries.list(userId, conversationId, before, limit + 1),
      this.queries.total(userId, conversationId),
    ]);
    return pageTextOf(rows, limit, ({ position }) => this.cursors.mint(binding, [position]), total);
  }

  @Serves(getRun)
  async get(@Caller() { userId }: Caller, @Param('runId') runId: RunId): Promise<RunView> {
    const row = await this.queries.findAsOfNow(runKeyOf(userId, runId));
    return row === null ? answer(refuse(notFound)) : runView(row);
  }

  @Serves(abortRun)
  async abort(@Caller() caller: Caller, @Param('runId') runId: RunId): Promise<{ aborted: boolean }> {
    return answer(await this.aborting.abort(caller.userId, runId, caller.cause));
  }
}
