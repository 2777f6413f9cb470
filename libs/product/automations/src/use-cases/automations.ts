import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { AutomationId, Cause, Result, UserId } from '@app/kernel';
import type { AutomationView } from '../api/automation.view';
import type { Automation } from '../automation/automation.state';
import type { StateFilter } from '../automation/state-filter';
import { AutomationReader } from './automation-reader';
import { CreateAutomation } from './create-automation';
import { GetAutomation } from './get-automation';
import { ListAutomations } from './list-automations';
import { UpdateAutomation } from './update-automation';

/** What the agent's tools do with automations, until they execute the commands themselves. */
@Injectable()
export class Automations {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly reader: AutomationReader,
  ) {}

  async create(
    userId: UserId,
    definition: unknown,
    cause: Cause,
    { automationId }: { readonly automationId: AutomationId },
  ): Promise<Result<AutomationView>> {
    return this.commands.execute(new CreateAutomation(userId, definition, cause, automationId));
  }

  async update(
    userId: UserId,
    automationId: AutomationId,
    { revision, definition }: { readonly revision: string; readonly definition: unknown },
    cause: Cause,
  ): Promise<Result<AutomationView>> {
    return this.commands.execute(new UpdateAutomation({ userId, automationId, revision, definition, cause }));
  }

  async get(userId: UserId, automationId: AutomationId): Promise<Result<AutomationView>> {
    return this.queries.execute(new GetAutomation(userId, automationId));
  }

  async fold(userId: UserId, automationId: AutomationId): Promise<Automation | null> {
    return this.reader.find(userId, automationId);
  }

  async list(
    userId: UserId,
    { state, limit }: { readonly state: StateFilter; readonly before: null; readonly limit: number },
  ): Promise<{ readonly rows: readonly { readonly view: AutomationView }[]; readonly total: number }> {
    const page = await this.queries.execute(new ListAutomations(userId, { state, limit }));
    if (!page.ok) throw new Error('a page without a cursor was refused');
    return { rows: page.value.data.map((view) => ({ view })), total: page.value.total };
  }
}
