import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { answer, Caller, Cursors, Operation, pageOf, type Page } from '@app/http';
import { notFound, refuse, type AutomationId, type InputId, type OccurrenceId } from '@app/kernel';
import { reasonView } from './automation-status';
import type { Truncated } from './automation.view';
import { Automations } from './automations';
import { HandDto, ListOccurrencesDto, SimulateDto, TestConditionDto } from './automations.dto';
import { AutomationQueries, type ListedOccurrence } from './automations.queries';
import { SimulateAutomation, type Simulation } from './simulate-automation';
import { TakeInputs } from './take-inputs';
import { TestCondition, type ConditionTest } from './test-condition';

/** Occurrence, as the API answers it (decisions.md, section 6). */
type OccurrenceView = Omit<ListedOccurrence, 'openedPosition' | 'reason'> & { readonly reason: Truncated | null };

/** What makes an automation fire, what would, and what came of it (specification, "Automations"; decisions.md, section 6). */
@Controller('/v1/users/:userId/automations/:automationId')
export class OccurrencesController {
  constructor(
    private readonly automations: Automations,
    private readonly inputs: TakeInputs,
    private readonly testing: TestCondition,
    private readonly simulating: SimulateAutomation,
    private readonly queries: AutomationQueries,
    private readonly cursors: Cursors,
  ) {}

  @Post('signal')
  @HttpCode(200)
  @Operation('automations.signal')
  async signal(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { input = {}, ...body }: HandDto,
  ): Promise<{ status: string; inputId: InputId }> {
    return answer(await this.inputs.signal({ userId, automationId, ...body, input, cause }));
  }

  @Post('invoke')
  @HttpCode(202)
  @Operation('automations.invoke')
  async invoke(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { input = {}, ...body }: HandDto,
  ): Promise<{ status: string; occurrenceId: OccurrenceId }> {
    return answer(await this.inputs.invoke({ userId, automationId, ...body, input, cause }));
  }

  @Get('occurrences')
  @Operation('automations.occurrences')
  async occurrences(
    @Caller() { userId }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Query() query: ListOccurrencesDto,
  ): Promise<Page<OccurrenceView>> {
    const { cursor, limit, delivery = null } = query;
    const binding = { list: 'automations.occurrences', userId, filters: { automationId, delivery } };
    const before = cursor === undefined ? null : Number(answer(this.cursors.read(binding, cursor))[0]);
    if ((await this.automations.fold(userId, automationId)) === null) return answer(refuse(notFound));
    const rows = await this.queries.occurrences(automationId, delivery, before, limit + 1);
    return pageOf(rows, limit, occurrenceView, (row) => this.cursors.mint(binding, [row.openedPosition]));
  }

  @Post('test-condition')
  @HttpCode(200)
  @Operation('automations.testCondition')
  async testCondition(
    @Caller() { userId }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { event }: TestConditionDto,
  ): Promise<ConditionTest> {
    return answer(await this.testing.test(userId, automationId, event));
  }

  @Post('simulate')
  @HttpCode(200)
  @Operation('automations.simulate')
  async simulate(
    @Caller() { userId }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { from, to }: SimulateDto,
  ): Promise<Simulation> {
    return answer(await this.simulating.simulate(userId, automationId, { from, to }));
  }
}

function occurrenceView({ openedPosition: _, reason, ...occurrence }: ListedOccurrence): OccurrenceView {
  return { ...occurrence, reason: reasonView(reason) };
}
