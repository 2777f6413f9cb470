import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { Clock, ok, refuse, type AutomationId, type Cause, type Result } from '@app/kernel';
import { automationKind } from '../automation/automation.stream';

/**
 * Keeps an automation, of any user, from firing until it is released; no-op when held. For operators. Refuses with
 * `not_found`.
 * @throws Unavailable
 */
export class HoldAutomation extends Command<Result<void>> {
  constructor(
    readonly automationId: AutomationId,
    readonly reason: string,
    readonly cause: Cause,
  ) {
    super();
  }
}

@CommandHandler(HoldAutomation)
class HoldAutomationHandler implements ICommandHandler<HoldAutomation> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  async execute({ automationId, reason, cause }: HoldAutomation): Promise<Result<void>> {
    const command = { type: 'HoldAutomation', at: this.clock.now(), reason } as const;
    const done = await this.streams.decide(automationKind, automationId, command, cause, { visible: true });
    return done.ok ? ok(undefined) : refuse(done.refusal);
  }
}

/** Lets a held automation, of any user, fire again; no-op when not held. For operators. Refuses with `not_found`. @throws Unavailable */
export class ReleaseAutomation extends Command<Result<void>> {
  constructor(
    readonly automationId: AutomationId,
    readonly reason: string,
    readonly cause: Cause,
  ) {
    super();
  }
}

@CommandHandler(ReleaseAutomation)
class ReleaseAutomationHandler implements ICommandHandler<ReleaseAutomation> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  async execute({ automationId, reason, cause }: ReleaseAutomation): Promise<Result<void>> {
    const command = { type: 'ReleaseAutomation', at: this.clock.now(), reason } as const;
    const done = await this.streams.decide(automationKind, automationId, command, cause, { visible: true });
    return done.ok ? ok(undefined) : refuse(done.refusal);
  }
}

export const holdHandlers = [HoldAutomationHandler, ReleaseAutomationHandler];
