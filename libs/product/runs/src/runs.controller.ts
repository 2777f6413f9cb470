import { Body, Controller, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { answer, Caller, Serves } from '@app/http';
import type { RunId } from '@app/kernel';
import { AbortRun, AbortRunHandler } from './abort-run';
import { GetRun, GetRunHandler } from './get-run';
import { ListRuns, ListRunsHandler } from './list-runs';
import type { AbortedRun, RunView, StartedRun } from './run.schema';
import { ListRunsDto } from './runs.dto';
import { StartRun, StartRunHandler } from './start-run';
import { startRun, listRuns, getRun, abortRun } from './runs.contract';

/** Agent runs (specification, "Agent runs"; docs/decisions/runs.md). */
@Controller()
export class RunsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  // The use case validates the body, because a replay is checked first.
  @Serves(startRun)
  async start(@Caller() { userId, cause }: Caller, @Body() body: unknown): Promise<StartedRun> {
    return answer(await this.commands.execute(new StartRun(userId, body, cause)));
  }

  @Serves(listRuns)
  async list(@Caller() { userId }: Caller, @Query() query: ListRunsDto): Promise<string> {
    return answer(await this.queries.execute(new ListRuns(userId, query)));
  }

  @Serves(getRun)
  async get(@Caller() { userId }: Caller, @Param('runId') runId: RunId): Promise<RunView> {
    return answer(await this.queries.execute(new GetRun(userId, runId)));
  }

  @Serves(abortRun)
  async abort(@Caller() { userId, cause }: Caller, @Param('runId') runId: RunId): Promise<AbortedRun> {
    return answer(await this.commands.execute(new AbortRun(userId, runId, cause)));
  }
}

/** The handlers of the commands and queries that it executes. */
export const runsHandlers = [AbortRunHandler, GetRunHandler, ListRunsHandler, StartRunHandler];
