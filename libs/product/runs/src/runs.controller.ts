import { Body, Controller, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { answer, Caller, Serves } from '@app/http';
import type { RunId } from '@app/kernel';
import { AbortRun } from './abort-run';
import type { AbortedRun, RunView, StartedRun } from './run.schema';
import { ListRunsDto } from './runs.dto';
import * as contract from './runs.contract';
import { GetRun, ListRuns } from './runs.queries';
import { StartRun } from './start-run';

/** Agent runs (specification, "Agent runs"; docs/decisions/runs.md). */
@Controller()
export class RunsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  // The use case validates the body, because a replay is checked first.
  @Serves(contract.startRun)
  async start(@Caller() { userId, cause }: Caller, @Body() body: unknown): Promise<StartedRun> {
    return answer(await this.commands.execute(new StartRun(userId, body, cause)));
  }

  @Serves(contract.listRuns)
  async list(@Caller() { userId }: Caller, @Query() query: ListRunsDto): Promise<string> {
    return answer(await this.queries.execute(new ListRuns(userId, query)));
  }

  @Serves(contract.getRun)
  async get(@Caller() { userId }: Caller, @Param('runId') runId: RunId): Promise<RunView> {
    return answer(await this.queries.execute(new GetRun(userId, runId)));
  }

  @Serves(contract.abortRun)
  async abort(@Caller() { userId, cause }: Caller, @Param('runId') runId: RunId): Promise<AbortedRun> {
    return answer(await this.commands.execute(new AbortRun(userId, runId, cause)));
  }
}
