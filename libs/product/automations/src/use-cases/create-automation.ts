import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { FoldedStates } from '@app/event-store';
import {
  asId,
  because,
  Clock,
  notFound,
  ok,
  refuse,
  type AutomationId,
  type Cause,
  type Result,
  type UserId,
} from '@app/kernel';
import { v7 as uuidV7 } from 'uuid';
import { viewOfState, type AutomationView } from '../views/automation.view';
import { AutomationQuota } from '../automation/automation-quota';
import { automationKind } from '../automation/automation.stream';
import { parseDefinition } from '../definition/definition-parser';
import { DefinitionWriter } from './definition-writer';

/**
 * Creates an automation. Refuses, in this order, with `invalid_input`, `automation_invalid`, `automation_limit`, and
 * where the user cannot be asked about its contract.
 * @throws Unavailable
 */
export class CreateAutomation extends Command<Result<AutomationView>> {
  /**
   * @param definition not validated yet
   * @param automationId derived from the request, so that a repeated one returns the existing automation; absent: a new
   * id
   */
  constructor(
    readonly userId: UserId,
    readonly definition: unknown,
    readonly cause: Cause,
    readonly automationId?: AutomationId,
  ) {
    super();
  }
}

@CommandHandler(CreateAutomation)
export class CreateAutomationHandler implements ICommandHandler<CreateAutomation> {
  constructor(
    private readonly states: FoldedStates,
    private readonly places: AutomationQuota,
    private readonly writer: DefinitionWriter,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, definition, cause, automationId }: CreateAutomation): Promise<Result<AutomationView>> {
    const existing = automationId === undefined ? null : await this.findExisting(userId, automationId);
    if (existing !== null) return existing;
    const parsed = parseDefinition(definition);
    if (!parsed.ok) return parsed;
    const at = this.clock.now();
    const tokens = await this.writer.check(parsed.value, at);
    if (!tokens.ok) return tokens;
    const id = automationId ?? asId<AutomationId>(uuidV7());
    if (!(await this.places.reserve(userId, id))) return refuse(because('automation_limit'));
    const created = await this.writer.write(
      { type: 'CreateAutomation' },
      { userId, automationId: id, definition: parsed.value, tokens: tokens.value, at, cause },
    );
    if (!created.ok) await this.places.release(id);
    return created;
  }

  /** The existing automation; `not_found` where it is another user's, and null where none has the id. */
  private async findExisting(userId: UserId, automationId: AutomationId): Promise<Result<AutomationView> | null> {
    const { state } = await this.states.fresh(automationKind, automationId);
    if (state === null) return null;
    return state.userId === userId ? ok(viewOfState(automationId, state, this.clock.now())) : refuse(notFound);
  }
}
