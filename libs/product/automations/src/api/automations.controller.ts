import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { answer, Caller, Cursors, Operation, pageOf } from '@app/http';
import type { AutomationId } from '@app/kernel';
import { AutomationLife } from '../automation/automation-life';
import { AutomationStatus, AutomationStatuses } from './automation-status';
import { examples } from './automation-examples';
import { AutomationPage, AutomationShape, type AutomationView } from './automation.view';
import { Automations } from '../automation/automations';
import { ListAutomationsDto, RevisionDto, SearchAutomationsDto, UpdateAutomationDto } from './automations.dto';
import { definitionShape } from '../definition/definition.schema';
import { SearchAutomations, SearchPage } from './search-automations';
import { WebhookKeys, WebhookSecret } from '../inputs/webhook-keys';

/** Automations as their users define and look after them (specification, "Automations"; docs/decisions/automations.md). */
@Controller('/v1/users/:userId/automations')
export class AutomationsController {
  constructor(
    private readonly automations: Automations,
    private readonly life: AutomationLife,
    private readonly statuses: AutomationStatuses,
    private readonly searching: SearchAutomations,
    private readonly webhookKeys: WebhookKeys,
    private readonly cursors: Cursors,
  ) {}

  // The body is the definition, which its parser reads.
  @Post()
  @Operation('automations.create', {
    summary: 'Define an automation',
    description:
      'It is enabled at once. A `contract` opens an approval of kind `automation_contract`, which the user decides on separately.',
    takes: definitionShape,
    requestExample: examples.definition,
    answer: AutomationShape,
    answerExample: examples.automation,
    reasons: ['automation_invalid', 'automation_limit', 'provider_unavailable'],
  })
  async create(@Caller() { userId, cause }: Caller, @Body() body: unknown): Promise<AutomationView> {
    return answer(await this.automations.create(userId, body, cause));
  }

  @Get()
  @Operation('automations.list', {
    summary: 'Automations, newest first',
    answer: AutomationPage,
    answerExample: { data: [examples.automation], nextCursor: null, total: 1 },
  })
  async list(@Caller() { userId }: Caller, @Query() query: ListAutomationsDto): Promise<AutomationPage> {
    const { cursor, limit, state = 'current' } = query;
    const binding = { list: 'automations.list', userId, filters: { state } };
    const before = cursor === undefined ? null : Number(answer(this.cursors.read(binding, cursor))[0]);
    const { rows, total } = await this.automations.list(userId, { state, before, limit });
    const page = pageOf(
      rows,
      limit,
      ({ view }) => view,
      ({ openedPosition }) => this.cursors.mint(binding, [openedPosition]),
    );
    return { ...page, total };
  }

  @Get('search')
  @Operation('automations.search', {
    summary: 'Search automations by words',
    description:
      'Over name, prompt and the description of the rule in plain words. A page holds at most 5, and at most 8 KiB.',
    answer: SearchPage,
    answerExample: examples.search,
  })
  async search(@Caller() { userId }: Caller, @Query() asked: SearchAutomationsDto): Promise<SearchPage> {
    const { query = '', state = 'current', offset } = asked;
    return this.searching.search(userId, { query, state, offset });
  }

  @Get(':automationId')
  @Operation('automations.get', {
    summary: 'An automation with its definition',
    answer: AutomationShape,
    answerExample: examples.automation,
  })
  async get(@Caller() { userId }: Caller, @Param('automationId') id: AutomationId): Promise<AutomationView> {
    return answer(await this.automations.get(userId, id));
  }

  @Put(':automationId')
  @Operation('automations.update', {
    summary: 'Define an automation anew',
    description:
      'Another version, and a new activation: what waits is canceled, edges, cooldown and the anchor of `every` begin anew, counts stay.',
    requestExample: examples.updateBody,
    answer: AutomationShape,
    answerExample: { ...examples.automation, revision: examples.revisions.next, definitionVersion: 2 },
    reasons: ['automation_changed', 'automation_invalid', 'automation_completed', 'provider_unavailable'],
  })
  async update(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') id: AutomationId,
    @Body() body: UpdateAutomationDto,
  ): Promise<AutomationView> {
    return answer(await this.automations.update(userId, id, body, cause));
  }

  @Delete(':automationId')
  @HttpCode(204)
  @Operation('automations.remove', {
    summary: 'Archive an automation for good',
    description: 'As often as one likes. It stops firing and cannot be resumed; it stays readable.',
    answer: null,
    reasons: ['automation_changed'],
  })
  async remove(@Caller() { userId, cause }: Caller, @Param('automationId') automationId: AutomationId): Promise<void> {
    answer(await this.life.remove({ userId, automationId, cause }));
  }

  @Post(':automationId/pause')
  @HttpCode(200)
  @Operation('automations.pause', {
    summary: 'Pause an automation',
    description: 'What waits is canceled. Of a paused one, nothing.',
    requestExample: examples.revisionBody,
    answer: AutomationShape,
    answerExample: { ...examples.automation, state: 'paused', nextRunAt: null },
    reasons: ['automation_changed', 'automation_completed'],
  })
  async pause(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { revision }: RevisionDto,
  ): Promise<AutomationView> {
    return answer(await this.life.pause({ userId, automationId, cause }, revision));
  }

  @Post(':automationId/resume')
  @HttpCode(200)
  @Operation('automations.resume', {
    summary: 'Resume an automation',
    description: 'A new activation, so a new `revision`. Of an enabled one, nothing.',
    requestExample: examples.revisionBody,
    answer: AutomationShape,
    answerExample: { ...examples.automation, revision: examples.revisions.resumed },
    reasons: ['automation_changed', 'automation_completed'],
  })
  async resume(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { revision }: RevisionDto,
  ): Promise<AutomationView> {
    return answer(await this.life.resume({ userId, automationId, cause }, revision));
  }

  @Get(':automationId/status')
  @Operation('automations.status', {
    summary: 'How an automation is doing',
    description: 'Of a fixed size and in reviewed words, for a conversation; never the raw definition.',
    answer: AutomationStatus,
    answerExample: examples.status,
  })
  async status(@Caller() { userId }: Caller, @Param('automationId') id: AutomationId): Promise<AutomationStatus> {
    return answer(await this.statuses.of(userId, id));
  }

  @Post(':automationId/rotate-webhook-secret')
  @HttpCode(200)
  @Operation('automations.rotateWebhookSecret', {
    summary: 'Mint a new webhook secret',
    description:
      'The one before is refused from the next request on. `automation_changed` also where the automation is not enabled, or no event wakes it.',
    requestExample: examples.revisionBody,
    answer: WebhookSecret,
    answerExample: examples.secret,
    reasons: ['automation_changed'],
  })
  async rotateWebhookSecret(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { revision }: RevisionDto,
  ): Promise<WebhookSecret> {
    return answer(await this.webhookKeys.rotate({ userId, automationId, cause }, revision));
  }
}
