import { Body, Controller, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { controls, type Control } from '@app/deployment';
import { answer, Operator, PageQuery, Serves } from '@app/http';
import { invalid, ok, refuse, type Result } from '@app/kernel';
import { listLog, pauseControl, resumeControl, showDeployment } from './deployment.contract';
import type { DeploymentState } from './deployment.schema';
import { ListLog, ListLogHandler } from './list-log';
import { makeChange, MakeChangeHandler } from '../changes/make-change';
import { ChangeReason, type LogPage, type MadeChange } from '../changes/operators.schema';
import { ShowDeployment, ShowDeploymentHandler } from './show-deployment';

@Controller()
export class OperatorsDeploymentController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Serves(showDeployment)
  async show(): Promise<DeploymentState> {
    return this.queries.execute(new ShowDeployment());
  }

  @Serves(pauseControl)
  async pause(
    @Operator() operator: Operator,
    @Param('control') control: string,
    @Body() { reason }: ChangeReason,
  ): Promise<MadeChange> {
    const target = answer(controlNamed(control));
    return makeChange(this.commands, operator, { operation: 'controls.pause', target, reason });
  }

  @Serves(resumeControl)
  async resume(
    @Operator() operator: Operator,
    @Param('control') control: string,
    @Body() { reason }: ChangeReason,
  ): Promise<MadeChange> {
    const target = answer(controlNamed(control));
    return makeChange(this.commands, operator, { operation: 'controls.resume', target, reason });
  }

  @Serves(listLog)
  async log(@Operator() operator: Operator, @Query() query: PageQuery): Promise<LogPage> {
    return answer(await this.queries.execute(new ListLog(operator, query)));
  }
}

/** Handlers of the commands and queries that the controller executes. */
export const operatorsDeploymentHandlers = [ListLogHandler, MakeChangeHandler, ShowDeploymentHandler];

function controlNamed(name: string): Result<Control> {
  const control = controls.find((known) => known === name);
  return control === undefined ? refuse(invalid('/control', `must be one of ${controls.join(', ')}`)) : ok(control);
}
