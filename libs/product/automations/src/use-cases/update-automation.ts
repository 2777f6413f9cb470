import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { because, Clock, notFound, refuse, type AutomationId, type Cause, type Result, type UserId } from '@app/kernel';
import type { AutomationView } from '../views/automation.view';
import { revisionOf } from '../automation/automation.state';
import { isFinished } from '../automation/finished';
import { parseDefinition } from '../definition/definition-parser';
import { AutomationReader } from '../automation/automation-reader';
import { DefinitionWriter } from './definition-writer';

/**
 * Replaces an automation's definition by a new version, with a new activation. Refuses, in this order, with
 * `invalid_input`, `not_found`, `automation_completed` (archived, or completed), `automation_changed` (another
 * revision), `automation_invalid`, and where the user cannot be asked about its contract.
 * @throws Unavailable
 */
export class UpdateAutomation extends Command<Result<AutomationView>> {
  constructor(
    readonly given: {
      readonly userId: UserId;
      readonly automationId: AutomationId;
      readonly revision: string;
      /** Not validated yet. */
      readonly definition: unknown;
      readonly cause: Cause;
    },
  ) {
    super();
  }
}

@CommandHandler(UpdateAutomation)
export class UpdateAutomationHandler implements ICommandHandler<UpdateAutomation> {
  constructor(
    private readonly reader: AutomationReader,
    private readonly writer: DefinitionWriter,
    private readonly clock: Clock,
  ) {}

  async execute({ given }: UpdateAutomation): Promise<Result<AutomationView>> {
    const { userId, automationId, revision, cause } = given;
    const parsed = insideOf('/definition', parseDefinition(given.definition));
    if (!parsed.ok) return parsed;
    const found = await this.reader.find(userId, automationId);
    if (found === null) return refuse(notFound);
    const at = this.clock.now();
    if (isFinished(found, at)) return refuse(because('automation_completed'));
    if (revisionOf(found) !== revision) return refuse(because('automation_changed'));
    const definition = parsed.value;
    const tokens = await this.writer.check(definition, at);
    if (!tokens.ok) return tokens;
    return this.writer.write(
      { type: 'UpdateAutomation', revision },
      { userId, automationId, definition, tokens: tokens.value, at, cause },
    );
  }
}

/** Prefixes the paths of a result's issues, because they are relative to a part of the input. */
function insideOf<Value>(path: string, result: Result<Value>): Result<Value> {
  if (result.ok || result.refusal.kind !== 'invalid_input') return result;
  const issues = result.refusal.issues.map((issue) => ({ ...issue, path: path + issue.path }));
  return refuse({ kind: 'invalid_input', issues });
}
