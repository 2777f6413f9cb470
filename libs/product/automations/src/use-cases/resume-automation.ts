import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { because, Clock, refuse, type AutomationId, type Cause, type Result, type UserId } from '@app/kernel';
import { v7 as uuidV7 } from 'uuid';
import { answerOf, type AutomationView } from '../views/automation.view';
import { automationKind } from '../automation/automation.stream';
import { isFinished } from '../automation/finished';
import { DueTimes } from '../firing/due-times';
import { Samples } from '../sources/samples';
import { AutomationReader } from '../automation/automation-reader';

/**
 * Resumes a paused automation with a new activation; no-op when enabled. Refuses with `not_found`,
 * `automation_completed` (archived, or completed), `automation_changed` (another revision).
 * @throws Unavailable
 */
export class ResumeAutomation extends Command<Result<AutomationView>> {
  constructor(
    readonly userId: UserId,
    readonly automationId: AutomationId,
    readonly revision: string,
    readonly cause: Cause,
  ) {
    super();
  }
}

@CommandHandler(ResumeAutomation)
export class ResumeAutomationHandler implements ICommandHandler<ResumeAutomation> {
  constructor(
    private readonly streams: Streams,
    private readonly reader: AutomationReader,
    private readonly dueTimes: DueTimes,
    private readonly samples: Samples,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, automationId, revision, cause }: ResumeAutomation): Promise<Result<AutomationView>> {
    const found = await this.reader.find(userId, automationId);
    const at = this.clock.now();
    const epoch = uuidV7();
    if (found !== null && isFinished(found, at)) return refuse(because('automation_completed'));
    if (found?.state === 'paused') {
      await this.dueTimes.schedule(automationId, found.definition, epoch, at, at);
      await this.samples.watch(userId, found.definition);
    }
    const command = { type: 'ResumeAutomation', at, userId, revision, epoch } as const;
    const done = await this.streams.decide(automationKind, automationId, command, cause, { visible: true });
    return done.ok ? answerOf(automationId, done.value.state, this.clock.now()) : refuse(done.refusal);
  }
}
