import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { Clock, ok, refuse, type Cause, type Result } from '@app/kernel';
import { untilEveryReplicaKnows } from './deployment-controls';
import type { Control } from './deployment.events';
import { deploymentId, deploymentKind } from './deployment.stream';

/** Resumes a paused control. Idempotent. Answers when it is in force on every replica. */
export class ResumeControl extends Command<Result<void>> {
  constructor(
    readonly change: {
      readonly control: Control;
      /** The operator's reason; stored in the event. */
      readonly reason: string;
      readonly cause: Cause;
    },
  ) {
    super();
  }
}

@CommandHandler(ResumeControl)
export class ResumeControlHandler implements ICommandHandler<ResumeControl> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  async execute({ change: { control, reason, cause } }: ResumeControl): Promise<Result<void>> {
    const command = { type: 'ResumeControl', at: this.clock.now(), control, reason } as const;
    const done = await this.streams.decide(deploymentKind, deploymentId, command, cause);
    if (!done.ok) return refuse(done.refusal);
    await untilEveryReplicaKnows();
    return ok(undefined);
  }
}
