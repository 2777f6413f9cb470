import { Body, Controller, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { ExplainedAutomation } from '@app/automations';
import { answer, Operator, Serves } from '@app/http';
import type { AutomationId } from '@app/kernel';
import { holdAutomation, listOperatedAutomations, releaseAutomation, showAutomation } from './automations.contract';
import { ListOperatedAutomationsDto, type OperatedAutomationPage } from './automations.schema';
import {
  ListOperatedAutomations,
  ListOperatedAutomationsHandler,
  ShowAutomation,
  ShowAutomationHandler,
} from './show-automations';
import { makeChange } from '../changes/make-change';
import { ChangeReason, type MadeChange } from '../changes/operators.schema';

@Controller()
export class OperatorsAutomationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Serves(listOperatedAutomations)
  async list(
    @Operator() operator: Operator,
    @Query() query: ListOperatedAutomationsDto,
  ): Promise<OperatedAutomationPage> {
    return answer(await this.queries.execute(new ListOperatedAutomations(operator, query)));
  }

  @Serves(showAutomation)
  async show(
    @Operator() operator: Operator,
    @Param('automationId') automationId: AutomationId,
  ): Promise<ExplainedAutomation> {
    return answer(await this.queries.execute(new ShowAutomation(operator, automationId)));
  }

  @Serves(holdAutomation)
  async hold(
    @Operator() operator: Operator,
    @Param('automationId') automationId: string,
    @Body() { reason }: ChangeReason,
  ): Promise<MadeChange> {
    return makeChange(this.commands, operator, { operation: 'automations.hold', target: automationId, reason });
  }

  @Serves(releaseAutomation)
  async release(
    @Operator() operator: Operator,
    @Param('automationId') automationId: string,
    @Body() { reason }: ChangeReason,
  ): Promise<MadeChange> {
    return makeChange(this.commands, operator, { operation: 'automations.release', target: automationId, reason });
  }
}

/** Handlers of the queries that the controller executes. */
export const operatorsAutomationsHandlers = [ListOperatedAutomationsHandler, ShowAutomationHandler];
