import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { answer, Caller, Cursors, Operation, pageOf } from '@app/http';
import { notFound, refuse, type AutomationId, type InputId, type Reason } from '@app/kernel';
import { examples } from './automation-examples';
import { Automations } from '../automation/automations';
import { HandedInputDto, ListOccurrencesDto, SimulateDto, TestConditionDto } from './automations.dto';
import { AutomationQueries } from './automations.queries';
import { ConditionTest, Simulation } from '../simulation/evaluation.view';
import { InputOutcome, InputOutcomes } from '../inputs/input-outcomes';
import { OccurrencePage, occurrenceView } from './occurrence.view';
import { SimulateAutomation } from '../simulation/simulate-automation';
import { Invoked, Signalled, TakeInputs } from '../inputs/take-inputs';
import { TestCondition } from '../simulation/test-condition';

/** `automation_changed` of a paused one as well. */
const handReasons: readonly Reason[] = [
  ...(['automation_changed', 'automation_completed', 'automation_held', 'deployment_paused'] as const),
];

/** What makes an automation fire, what would, and what came of it (specification, "Automations"; docs/decisions/automations.md). */
@Controller('/v1/users/:userId/automations/:automationId')
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

  @Post('signal')
  @HttpCode(200)
  @Operation('automations.signal', {
    summary: 'Hand the rule an event',
    description:
      'As if a source had delivered it, whatever the wake and the type; the condition decides. A key that was seen is answered `duplicate`, whatever else the request holds.',
    requestExample: examples.handBody,
    answer: Signalled,
    answerExample: examples.signalled,
    reasons: handReasons,
  })
  async signal(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { input = {}, ...body }: HandedInputDto,
  ): Promise<Signalled> {
    return answer(await this.inputs.signal({ userId, automationId, ...body, input, cause }));
  }

  @Post('invoke')
  @HttpCode(202)
  @Operation('automations.invoke', {
    summary: 'Let it fire now',
    description:
      'Whatever the condition says; overlap policy and budget still count. The occurrence is there at once, `rejected` with its reason where it cannot be taken. A key that was seen is answered `duplicate`, whatever else the request holds.',
    requestExample: examples.handBody,
    answer: Invoked,
    answerExample: examples.invoked,
    reasons: handReasons,
  })
  async invoke(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { input = {}, ...body }: HandedInputDto,
  ): Promise<Invoked> {
    return answer(await this.inputs.invoke({ userId, automationId, ...body, input, cause }));
  }

  @Get('occurrences')
  @Operation('automations.occurrences', {
    summary: 'Occurrences, newest first',
    answer: OccurrencePage,
    answerExample: examples.occurrences,
  })
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

  @Get('inputs/:inputId')
  @Operation('automations.input', {
    summary: 'What became of an input',
    description: "Of a signal, an invocation or a webhook's event.",
    answer: InputOutcome,
    answerExample: examples.input,
  })
  async input(
    @Caller() { userId }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Param('inputId') inputId: InputId,
  ): Promise<InputOutcome> {
    return answer(await this.inputOutcomes.of(userId, automationId, inputId));
  }

  @Post('test-condition')
  @HttpCode(200)
  @Operation('automations.testCondition', {
    weight: 10,
    summary: 'Evaluate the condition once',
    description:
      'Against the given event, or else against retained data, in any state. It records nothing and fires nothing.',
    requestExample: { event: examples.event },
    answer: ConditionTest,
    answerExample: examples.conditionTest,
  })
  async testCondition(
    @Caller() { userId }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { event }: TestConditionDto,
  ): Promise<ConditionTest> {
    return answer(await this.testing.test(userId, automationId, event));
  }

  @Post('simulate')
  @HttpCode(200)
  @Operation('automations.simulate', {
    weight: 10,
    summary: 'What the rule would have made of the past',
    description:
      'Over retained data, in any state, as if an activation had begun at `from`; runs count as ended at once, and what is missing is unknown. It records nothing, and the same data give the same answer.',
    requestExample: examples.simulateBody,
    answer: Simulation,
    answerExample: examples.simulation,
  })
  async simulate(
    @Caller() { userId }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { from, to }: SimulateDto,
  ): Promise<Simulation> {
    return answer(await this.simulating.simulate(userId, automationId, { from, to }));
  }
}
