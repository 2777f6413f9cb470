import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { answer, Caller, Cursors, Operation, pageOf, type Page } from '@app/http';
import type { AutomationId } from '@app/kernel';
import { AutomationLife } from './automation-life';
import { AutomationStatuses, type AutomationStatus } from './automation-status';
import type { AutomationView } from './automation.view';
import { Automations } from './automations';
import { ListAutomationsDto, RevisionDto, SearchAutomationsDto, UpdateAutomationDto } from './automations.dto';
import { SearchAutomations, type SearchPage } from './search-automations';
import { WebhookKeys, type RotatedSecret } from './webhook-keys';

/** Automations as their users define and look after them (specification, "Automations"; decisions.md, section 6). */
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
  @Operation('automations.create')
  async create(@Caller() { userId, cause }: Caller, @Body() body: unknown): Promise<AutomationView> {
    return answer(await this.automations.create(userId, body, cause));
  }

  @Get()
  @Operation('automations.list')
  async list(
    @Caller() { userId }: Caller,
    @Query() query: ListAutomationsDto,
  ): Promise<Page<AutomationView> & { total: number }> {
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
  @Operation('automations.search')
  async search(@Caller() { userId }: Caller, @Query() asked: SearchAutomationsDto): Promise<SearchPage> {
    const { query = '', state = 'current', offset } = asked;
    return this.searching.search(userId, { query, state, offset });
  }

  @Get(':automationId')
  @Operation('automations.get')
  async get(@Caller() { userId }: Caller, @Param('automationId') id: AutomationId): Promise<AutomationView> {
    return answer(await this.automations.get(userId, id));
  }

  @Put(':automationId')
  @Operation('automations.update')
  async update(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') id: AutomationId,
    @Body() body: UpdateAutomationDto,
  ): Promise<AutomationView> {
    return answer(await this.automations.update(userId, id, body, cause));
  }

  @Delete(':automationId')
  @HttpCode(204)
  @Operation('automations.remove')
  async remove(@Caller() { userId, cause }: Caller, @Param('automationId') automationId: AutomationId): Promise<void> {
    answer(await this.life.remove({ userId, automationId, cause }));
  }

  @Post(':automationId/pause')
  @HttpCode(200)
  @Operation('automations.pause')
  async pause(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { revision }: RevisionDto,
  ): Promise<AutomationView> {
    return answer(await this.life.pause({ userId, automationId, cause }, revision));
  }

  @Post(':automationId/resume')
  @HttpCode(200)
  @Operation('automations.resume')
  async resume(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { revision }: RevisionDto,
  ): Promise<AutomationView> {
    return answer(await this.life.resume({ userId, automationId, cause }, revision));
  }

  @Get(':automationId/status')
  @Operation('automations.status')
  async status(@Caller() { userId }: Caller, @Param('automationId') id: AutomationId): Promise<AutomationStatus> {
    return answer(await this.statuses.of(userId, id));
  }

  @Post(':automationId/rotate-webhook-secret')
  @HttpCode(200)
  @Operation('automations.rotateWebhookSecret')
  async rotateWebhookSecret(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { revision }: RevisionDto,
  ): Promise<RotatedSecret> {
    return answer(await this.webhookKeys.rotate({ userId, automationId, cause }, revision));
  }
}
