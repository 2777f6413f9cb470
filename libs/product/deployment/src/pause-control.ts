import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { Clock, ok, refuse, type Cause, type Result } from '@app/kernel';
import { untilEveryReplicaKnows } from './deployment-controls';
import type { Control } from './deployment.events';
import { deploymentId, deploymentKind } from './deployment.stream';

/**
 * Pauses a part of the deployment (docs/decisions/operators.md); work already admitted goes on. Idempotent. Answers
 * when it is in force on every replica.
 */
export class PauseControl extends Command<Result<void>> {
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

@CommandHandler(PauseControl)
export class PauseControlHandler implements ICommandHandler<PauseControl> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  async execute({ change: { control, reason, cause } }: PauseControl): Promise<Result<void>> {
    const command = { type: 'PauseControl', at: this.clock.now(), control, reason } as const;
    const done = await this.streams.decide(deploymentKind, deploymentId, command, cause);
    if (!done.ok) return refuse(done.refusal);
    await untilEveryReplicaKnows();
    return ok(undefined);
  }
}
