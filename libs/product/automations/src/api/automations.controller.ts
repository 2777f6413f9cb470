import { Body, Controller, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { answer, Caller, Serves } from '@app/http';
import type { AutomationId } from '@app/kernel';
import { CreateAutomation, UpdateAutomation } from '../use-cases/define-automation';
import { DeleteAutomation, PauseAutomation, ResumeAutomation } from '../use-cases/automation-life';
import { AutomationStatus, GetAutomationStatus } from '../use-cases/get-automation-status';
import { GetAutomation, ListAutomations } from '../use-cases/read-automations';
import { SearchAutomations, SearchPage } from '../use-cases/search-automations';
import { RotateWebhookKey, WebhookSecret } from '../use-cases/rotate-webhook-key';
import { AutomationPage, type AutomationView } from '../views/automation.view';
import * as contract from './automations.contract';
import { ListAutomationsDto, RevisionDto, SearchAutomationsDto, UpdateAutomationDto } from '../views/automations.dto';

/** Automations as their users define and manage them (specification, "Automations"; docs/decisions/automations.md). */
@Controller()
export class AutomationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  // The body is the definition, which its parser reads.
  @Serves(contract.createAutomation)
  async create(@Caller() { userId, cause }: Caller, @Body() body: unknown): Promise<AutomationView> {
    return answer(await this.commands.execute(new CreateAutomation(userId, body, cause)));
  }

  @Serves(contract.listAutomations)
  async list(@Caller() { userId }: Caller, @Query() query: ListAutomationsDto): Promise<AutomationPage> {
    return answer(await this.queries.execute(new ListAutomations(userId, query)));
  }

  @Serves(contract.searchAutomations)
  async search(@Caller() { userId }: Caller, @Query() query: SearchAutomationsDto): Promise<SearchPage> {
    return this.queries.execute(new SearchAutomations(userId, query));
  }

  @Serves(contract.getAutomation)
  async get(@Caller() { userId }: Caller, @Param('automationId') id: AutomationId): Promise<AutomationView> {
    return answer(await this.queries.execute(new GetAutomation(userId, id)));
  }

  @Serves(contract.updateAutomation)
  async update(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { revision, definition }: UpdateAutomationDto,
  ): Promise<AutomationView> {
    const update = new UpdateAutomation({ userId, automationId, revision, definition, cause });
    return answer(await this.commands.execute(update));
  }

  @Serves(contract.removeAutomation)
  async remove(@Caller() { userId, cause }: Caller, @Param('automationId') automationId: AutomationId): Promise<void> {
    answer(await this.commands.execute(new DeleteAutomation(userId, automationId, cause)));
  }

  @Serves(contract.pauseAutomation)
  async pause(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { revision }: RevisionDto,
  ): Promise<AutomationView> {
    return answer(await this.commands.execute(new PauseAutomation(userId, automationId, revision, cause)));
  }

  @Serves(contract.resumeAutomation)
  async resume(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { revision }: RevisionDto,
  ): Promise<AutomationView> {
    return answer(await this.commands.execute(new ResumeAutomation(userId, automationId, revision, cause)));
  }

  @Serves(contract.readAutomationStatus)
  async status(@Caller() { userId }: Caller, @Param('automationId') id: AutomationId): Promise<AutomationStatus> {
    return answer(await this.queries.execute(new GetAutomationStatus(userId, id)));
  }

  @Serves(contract.rotateWebhookSecret)
  async rotateWebhookSecret(
    @Caller() { userId, cause }: Caller,
    @Param('automationId') automationId: AutomationId,
    @Body() { revision }: RevisionDto,
  ): Promise<WebhookSecret> {
    return answer(await this.commands.execute(new RotateWebhookKey(userId, automationId, revision, cause)));
  }
}
