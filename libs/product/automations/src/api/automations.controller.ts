import { Body, Controller, Param, Query } from '@nestjs/common';
import { answer, Caller, Cursors, pageOf, Serves } from '@app/http';
import type { AutomationId } from '@app/kernel';
import { AutomationLife } from '../automation/automation-life';
import { AutomationStatus, AutomationStatuses } from './automation-status';
import { AutomationPage, type AutomationView } from './automation.view';
import { Automations } from '../automation/automations';
import { ListAutomationsDto, RevisionDto, SearchAutomationsDto, UpdateAutomationDto } from './automations.dto';
import { SearchAutomations, SearchPage } from './search-automations';
import { WebhookKeys, WebhookSecret } from '../inputs/webhook-keys';
import {
  createAutomation,
  listAutomations,
  searchAutomations,
  getAutomation,
  updateAutomation,
  removeAutomation,
  pauseAutomation,
  resumeAutomation,
  readAutomationStatus,
  rotateWebhookSecret,
} from './automations.contract';

/** Automations as their users define and look after them (specification, "Automations"; docs/decisions/automations.md). */
@Controller()
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
  @Serves(createAutomation)
  async create(@Caller() { userId, cause }: Caller, @Body() body: unknown): Promise<AutomationView> {
    return answer(await this.automations.create(userId, body, cause));
  }

  @Serves(listAutomations)
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

  @Serves(searchAutomations)
  async search(@Caller() { userId }: Caller, @Query() asked: SearchAutomationsDto): Promise<SearchPage> {
    const { query = '', state = 'current', offset } = asked;
    return this.searching.search(userId, { query, state, offset });
  }

  @Serves(getAutomation)
  async get(@Caller() { userId }: Caller, @Param('automationId') id: AutomationId): Promise<AutomationView> {
    return answer(await this.automations.get(userId, id));
  }

  @Serves(updateAutomation)
  async update(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') id: AutomationId,
    @Body() body: UpdateAutomationDto,
  ): Promise<AutomationView> {
    return answer(await this.automations.update(userId, id, body, cause));
  }

  @Serves(removeAutomation)
  async remove(@Caller() { userId, cause }: Caller, @Param('automationId') automationId: AutomationId): Promise<void> {
    answer(await this.life.remove({ userId, automationId, cause }));
  }

  @Serves(pauseAutomation)
  async pause(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { revision }: RevisionDto,
  ): Promise<AutomationView> {
    return answer(await this.life.pause({ userId, automationId, cause }, revision));
  }

  @Serves(resumeAutomation)
  async resume(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { revision }: RevisionDto,
  ): Promise<AutomationView> {
    return answer(await this.life.resume({ userId, automationId, cause }, revision));
  }

  @Serves(readAutomationStatus)
  async status(@Caller() { userId }: Caller, @Param('automationId') id: AutomationId): Promise<AutomationStatus> {
    return answer(await this.statuses.of(userId, id));
  }

  @Serves(rotateWebhookSecret)
  async rotateWebhookSecret(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { revision }: RevisionDto,
  ): Promise<WebhookSecret> {
    return answer(await this.webhookKeys.rotate({ userId, automationId, cause }, revision));
  }
}
