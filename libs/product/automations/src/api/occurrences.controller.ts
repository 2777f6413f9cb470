import { Body, Controller, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { answer, Caller, Serves } from '@app/http';
import type { AutomationId, InputId } from '@app/kernel';
import { ConditionTest, Simulation } from '../simulation/evaluation.view';
import { GetInputOutcome, InputOutcome, ListOccurrences } from '../use-cases/read-occurrences';
import { InvokeAutomation, Invoked, SignalAutomation, Signalled } from '../use-cases/give-input';
import { SimulateAutomation, TestCondition } from '../use-cases/simulate-automation';
import { HandedInputDto, ListOccurrencesDto, SimulateDto, TestConditionDto } from '../views/automations.dto';
import { OccurrencePage } from '../views/occurrence.view';
import * as contract from './occurrences.contract';

/** Inputs, occurrences, condition tests and simulations (specification, "Automations"; docs/decisions/automations.md). */
@Controller()
export class OccurrencesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Serves(contract.signalAutomation)
  async signal(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { input = {}, ...body }: HandedInputDto,
  ): Promise<Signalled> {
    const command = new SignalAutomation({ userId, automationId, ...body, input, cause });
    return answer(await this.commands.execute(command));
  }

  @Serves(contract.invokeAutomation)
  async invoke(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { input = {}, ...body }: HandedInputDto,
  ): Promise<Invoked> {
    const command = new InvokeAutomation({ userId, automationId, ...body, input, cause });
    return answer(await this.commands.execute(command));
  }

  @Serves(contract.listOccurrences)
  async occurrences(
    @Caller() { userId }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Query() query: ListOccurrencesDto,
  ): Promise<OccurrencePage> {
    return answer(await this.queries.execute(new ListOccurrences(userId, automationId, query)));
  }

  @Serves(contract.readInputOutcome)
  async input(
    @Caller() { userId }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Param('inputId') inputId: InputId,
  ): Promise<InputOutcome> {
    return answer(await this.queries.execute(new GetInputOutcome(userId, automationId, inputId)));
  }

  @Serves(contract.testCondition)
  async testCondition(
    @Caller() { userId }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { event }: TestConditionDto,
  ): Promise<ConditionTest> {
    return answer(await this.queries.execute(new TestCondition(userId, automationId, event)));
  }

  @Serves(contract.simulateAutomation)
  async simulate(
    @Caller() { userId }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { from, to }: SimulateDto,
  ): Promise<Simulation> {
    return answer(await this.queries.execute(new SimulateAutomation(userId, automationId, { from, to })));
  }
}
