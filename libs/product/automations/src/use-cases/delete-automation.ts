import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams, TooBusy } from '@app/event-store';
import { because, Clock, ok, refuse, type AutomationId, type Cause, type Result, type UserId } from '@app/kernel';
import { AutomationQuota } from '../automation/automation-quota';
import { automationKind } from '../automation/automation.stream';

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
export class DeleteAutomationHandler implements ICommandHandler<DeleteAutomation> {
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
