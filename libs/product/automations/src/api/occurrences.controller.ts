import { Body, Controller, Param, Query } from '@nestjs/common';
import { answer, Caller, Cursors, pageOf, Serves } from '@app/http';
import { notFound, refuse, type AutomationId, type InputId } from '@app/kernel';
import { Automations } from '../automation/automations';
import { HandedInputDto, ListOccurrencesDto, SimulateDto, TestConditionDto } from './automations.dto';
import { AutomationQueries } from './automations.queries';
import { ConditionTest, Simulation } from '../simulation/evaluation.view';
import { InputOutcome, InputOutcomes } from '../inputs/input-outcomes';
import { OccurrencePage, occurrenceView } from './occurrence.view';
import { SimulateAutomation } from '../simulation/simulate-automation';
import { Invoked, Signalled, TakeInputs } from '../inputs/take-inputs';
import { TestCondition } from '../simulation/test-condition';
import {
  signalAutomation,
  invokeAutomation,
  listOccurrences,
  readInputOutcome,
  testCondition,
  simulateAutomation,
} from './occurrences.contract';

/** What makes an automation fire, what would, and what came of it (specification, "Automations"; docs/decisions/automations.md). */
@Controller()
export class OccurrencesController {
  constructor(
    private readonly automations: Automations,
    private readonly inputs: TakeInputs,
    private readonly inputOutcomes: InputOutcomes,
    private readonly testing: TestCondition,
    private readonly simulating: SimulateAutomation,
    private readonly queries: AutomationQueries,
    private readonly cursors: Cursors,
  ) {}

  @Serves(signalAutomation)
  async signal(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { input = {}, ...body }: HandedInputDto,
  ): Promise<Signalled> {
    return answer(await this.inputs.signal({ userId, automationId, ...body, input, cause }));
  }

  @Serves(invokeAutomation)
  async invoke(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { input = {}, ...body }: HandedInputDto,
  ): Promise<Invoked> {
    return answer(await this.inputs.invoke({ userId, automationId, ...body, input, cause }));
  }

  @Serves(listOccurrences)
  async occurrences(
    @Caller() { userId }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Query() query: ListOccurrencesDto,
  ): Promise<OccurrencePage> {
    const { cursor, limit, delivery = null } = query;
    const binding = { list: 'automations.occurrences', userId, filters: { automationId, delivery } };
    const before = cursor === undefined ? null : Number(answer(this.cursors.read(binding, cursor))[0]);
    if ((await this.automations.fold(userId, automationId)) === null) return answer(refuse(notFound));
    const rows = await this.queries.occurrences(automationId, delivery, before, limit + 1);
    return pageOf(rows, limit, occurrenceView, (row) => this.cursors.mint(binding, [row.openedPosition]));
  }

  @Serves(readInputOutcome)
  async input(
    @Caller() { userId }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Param('inputId') inputId: InputId,
  ): Promise<InputOutcome> {
    return answer(await this.inputOutcomes.of(userId, automationId, inputId));
  }

  @Serves(testCondition)
  async testCondition(
    @Caller() { userId }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { event }: TestConditionDto,
  ): Promise<ConditionTest> {
    return answer(await this.testing.test(userId, automationId, event));
  }

  @Serves(simulateAutomation)
  async simulate(
    @Caller() { userId }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { from, to }: SimulateDto,
  ): Promise<Simulation> {
    return answer(await this.simulating.simulate(userId, automationId, { from, to }));
  }
}
