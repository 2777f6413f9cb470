import { Body, Controller, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { answer, Caller, Serves } from '@app/http';
import type { AutomationId, InputId } from '@app/kernel';
import { ConditionTest, Simulation } from '../simulation/evaluation.view';
import {
  GetInputOutcome,
  GetInputOutcomeHandler,
  InputOutcome,
  ListOccurrences,
  ListOccurrencesHandler,
} from '../use-cases/read-occurrences';
import {
  InvokeAutomation,
  InvokeAutomationHandler,
  Invoked,
  SignalAutomation,
  SignalAutomationHandler,
  Signalled,
} from '../use-cases/give-input';
import {
  SimulateAutomation,
  SimulateAutomationHandler,
  TestCondition,
  TestConditionHandler,
} from '../use-cases/simulate-automation';
import { HandedInputDto, ListOccurrencesDto, SimulateDto, TestConditionDto } from '../views/automations.dto';
import { OccurrencePage } from '../views/occurrence.view';
import {
  signalAutomation,
  invokeAutomation,
  listOccurrences,
  readInputOutcome,
  testCondition,
  simulateAutomation,
} from './occurrences.contract';

/**
 * Inputs, occurrences, condition tests and simulations (specification, "Automations"; docs/decisions/automations.md).
 */
@Controller()
export class OccurrencesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Serves(signalAutomation)
  async signal(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { input = {}, ...body }: HandedInputDto,
  ): Promise<Signalled> {
    const command = new SignalAutomation({ userId, automationId, ...body, input, cause });
    return answer(await this.commands.execute(command));
  }

  @Serves(invokeAutomation)
  async invoke(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { input = {}, ...body }: HandedInputDto,
  ): Promise<Invoked> {
    const command = new InvokeAutomation({ userId, automationId, ...body, input, cause });
    return answer(await this.commands.execute(command));
  }

  @Serves(listOccurrences)
  async occurrences(
    @Caller() { userId }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Query() query: ListOccurrencesDto,
  ): Promise<OccurrencePage> {
    return answer(await this.queries.execute(new ListOccurrences(userId, automationId, query)));
  }

  @Serves(readInputOutcome)
  async input(
    @Caller() { userId }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Param('inputId') inputId: InputId,
  ): Promise<InputOutcome> {
    return answer(await this.queries.execute(new GetInputOutcome(userId, automationId, inputId)));
  }

  @Serves(testCondition)
  async testCondition(
    @Caller() { userId }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { event }: TestConditionDto,
  ): Promise<ConditionTest> {
    return answer(await this.queries.execute(new TestCondition(userId, automationId, event)));
  }

  @Serves(simulateAutomation)
  async simulate(
    @Caller() { userId }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { from, to }: SimulateDto,
  ): Promise<Simulation> {
    return answer(await this.queries.execute(new SimulateAutomation(userId, automationId, { from, to })));
  }
}

/** Handlers of the commands and queries that the controller executes. */
export const occurrencesHandlers = [
  GetInputOutcomeHandler,
  InvokeAutomationHandler,
  ListOccurrencesHandler,
  SignalAutomationHandler,
  SimulateAutomationHandler,
  TestConditionHandler,
];
