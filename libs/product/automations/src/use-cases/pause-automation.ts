import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { because, Clock, refuse, type AutomationId, type Cause, type Result, type UserId } from '@app/kernel';
import { answerOf, type AutomationView } from '../views/automation.view';
import { automationKind } from '../automation/automation.stream';
import { isFinished } from '../automation/finished';
import { AutomationReader } from '../automation/automation-reader';

/**
 * Pauses an automation and cancels its pending occurrences; no-op when already paused. Refuses with `not_found`,
 * `automation_completed` (archived, or completed), `automation_changed` (another revision).
 * @throws Unavailable
 */
export class PauseAutomation extends Command<Result<AutomationView>> {
  constructor(
    readonly userId: UserId,
    readonly automationId: AutomationId,
    readonly revision: string,
    readonly cause: Cause,
  ) {
    super();
  }
}

@CommandHandler(PauseAutomation)
export class PauseAutomationHandler implements ICommandHandler<PauseAutomation> {
  constructor(
    private readonly streams: Streams,
    private readonly reader: AutomationReader,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, automationId, revision, cause }: PauseAutomation): Promise<Result<AutomationView>> {
    const found = await this.reader.find(userId, automationId);
    const at = this.clock.now();
    if (found !== null && isFinished(found, at)) return refuse(because('automation_completed'));
    const command = { type: 'PauseAutomation', at, userId, revision } as const;
    const done = await this.streams.decide(automationKind, automationId, command, cause, { visible: true });
    return done.ok ? answerOf(automationId, done.value.state, this.clock.now()) : refuse(done.refusal);
  }
}
