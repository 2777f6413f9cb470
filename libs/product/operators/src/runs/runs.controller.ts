import { Body, Controller, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { answer, Operator, Serves } from '@app/http';
import { asId, type RunKey, type UserId } from '@app/kernel';
import { ChangeRun, ChangeRunHandler } from './change-run';
import { ListOperatedRuns, ListOperatedRunsHandler, ShowRun, ShowRunHandler } from './show-runs';
import { ChangeReason, type MadeChange } from '../changes/operators.schema';
import { abortOperatedRun, listOperatedRuns, releaseRun, showRun } from './runs.contract';
import { ListOperatedRunsDto, ShowRunDto, type OperatedRun, type OperatedRunPage } from './runs.schema';

@Controller()
export class OperatorsRunsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Serves(listOperatedRuns)
  async list(@Operator() operator: Operator, @Query() query: ListOperatedRunsDto): Promise<OperatedRunPage> {
    return answer(await this.queries.execute(new ListOperatedRuns(operator, query)));
  }

  @Serves(showRun)
  async show(@Param('runKey') runKey: RunKey, @Query() { user }: ShowRunDto): Promise<OperatedRun> {
    return answer(await this.queries.execute(new ShowRun(runKey, user === undefined ? null : asId<UserId>(user))));
  }

  @Serves(abortOperatedRun)
  async abort(
    @Operator() operator: Operator,
    @Param('runKey') runKey: RunKey,
    @Body() { reason }: ChangeReason,
  ): Promise<MadeChange> {
    const change = { operation: 'runs.abort', reason } as const;
    return answer(await this.commands.execute(new ChangeRun(operator, runKey, change)));
  }

  @Serves(releaseRun)
  async release(
    @Operator() operator: Operator,
    @Param('runKey') runKey: RunKey,
    @Body() { reason }: ChangeReason,
  ): Promise<MadeChange> {
    const change = { operation: 'runs.release', reason } as const;
    return answer(await this.commands.execute(new ChangeRun(operator, runKey, change)));
  }
}

/** Handlers of the commands and queries that the controller executes. */
export const operatorsRunsHandlers = [ChangeRunHandler, ListOperatedRunsHandler, ShowRunHandler];
