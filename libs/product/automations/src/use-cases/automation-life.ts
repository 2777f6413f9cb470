import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams, TooBusy } from '@app/event-store';
import { because, Clock, ok, refuse, type AutomationId, type Cause, type Result, type UserId } from '@app/kernel';
import { v7 as uuidV7 } from 'uuid';
import { answerOf, type AutomationView } from '../views/automation.view';
import { automationKind } from '../automation/automation.stream';
import { isFinished } from '../automation/finished';
import { AutomationReader } from '../automation/automation-reader';
import { DueTimes } from '../firing/due-times';
import { Samples } from '../sources/samples';
import { AutomationQuota } from '../automation/automation-quota';

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
class PauseAutomationHandler implements ICommandHandler<PauseAutomation> {
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
class ResumeAutomationHandler implements ICommandHandler<ResumeAutomation> {
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

/** A deletion gives up after this many lost races for the stream (docs/decisions/automations.md). */
const racesMax = 5;

/**
 * Archives an automation for good; no-op when archived. Refuses with `not_found`, and with `automation_changed` after five lost
 * races. @throws Unavailable
 */
export class DeleteAutomation extends Command<Result<void>> {
  constructor(
    readonly userId: UserId,
    readonly automationId: AutomationId,
    readonly cause: Cause,
  ) {
    super();
  }
}

@CommandHandler(DeleteAutomation)
class DeleteAutomationHandler implements ICommandHandler<DeleteAutomation> {
  constructor(
    private readonly streams: Streams,
    private readonly places: AutomationQuota,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, automationId, cause }: DeleteAutomation): Promise<Result<void>> {
    const command = { type: 'ArchiveAutomation', at: this.clock.now(), userId } as const;
    try {
      const options = { racesMax, visible: true };
      const done = await this.streams.decide(automationKind, automationId, command, cause, options);
      if (!done.ok) return refuse(done.refusal);
      await this.places.release(automationId);
      return ok(undefined);
    } catch (error) {
      // Only lost races count: a slow store, or a process with too many commands, is `TooBusy` too.
      if (error instanceof TooBusy && error.lostRaces >= racesMax) return refuse(because('automation_changed'));
      throw error;
    }
  }
}

export const lifeHandlers = [PauseAutomationHandler, ResumeAutomationHandler, DeleteAutomationHandler];
