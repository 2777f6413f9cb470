import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { Clock, ok, refuse, type Cause, type Result } from '@app/kernel';
import { untilEveryReplicaKnows } from './deployment-controls';
import type { DeploymentCommand } from './deployment.decider';
import type { Control } from './deployment.events';
import { deploymentId, deploymentKind } from './deployment.stream';

/** A change of a control by an operator. */
interface ControlChange {
  readonly control: Control;
  /** The operator's reason; stored in the event. */
  readonly reason: string;
  readonly cause: Cause;
}

/**
 * Pauses a part of the deployment (docs/decisions/operators.md); work already admitted goes on. Idempotent. Answers when it is in force on
 * every replica.
 */
export class PauseControl extends Command<Result<void>> {
  constructor(readonly change: ControlChange) {
    super();
  }
}

/** Resumes a paused control. Idempotent. Answers when it is in force on every replica. */
export class ResumeControl extends Command<Result<void>> {
  constructor(readonly change: ControlChange) {
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
    return changeControl(this.streams, { type: 'PauseControl', at: this.clock.now(), control, reason }, cause);
  }
}

@CommandHandler(ResumeControl)
export class ResumeControlHandler implements ICommandHandler<ResumeControl> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  async execute({ change: { control, reason, cause } }: ResumeControl): Promise<Result<void>> {
    return changeControl(this.streams, { type: 'ResumeControl', at: this.clock.now(), control, reason }, cause);
  }
}

async function changeControl(streams: Streams, command: DeploymentCommand, cause: Cause): Promise<Result<void>> {
  const done = await streams.decide(deploymentKind, deploymentId, command, cause);
  if (!done.ok) return refuse(done.refusal);
  await untilEveryReplicaKnows();
  return ok(undefined);
}
