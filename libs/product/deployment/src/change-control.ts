import { Injectable } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { Clock, ok, refuse, type Cause, type Result } from '@app/kernel';
import { untilEveryReplicaKnows } from './deployment-controls';
import type { Control } from './deployment.events';
import { deploymentId, deploymentKind } from './deployment.stream';

/** A change of a control by an operator. Idempotent. Answers when it is in force on every replica. */
abstract class ChangeControl extends Command<Result<void>> {
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

/** Pauses a part of the deployment (docs/decisions/operators.md); work already admitted goes on. */
export class PauseControl extends ChangeControl {}

/** Resumes a paused control. */
export class ResumeControl extends ChangeControl {}

@Injectable()
abstract class ChangeControlHandler {
  protected abstract readonly type: 'PauseControl' | 'ResumeControl';

  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  async execute({ change: { control, reason, cause } }: ChangeControl): Promise<Result<void>> {
    const command = { type: this.type, at: this.clock.now(), control, reason };
    const done = await this.streams.decide(deploymentKind, deploymentId, command, cause);
    if (!done.ok) return refuse(done.refusal);
    await untilEveryReplicaKnows();
    return ok(undefined);
  }
}

@CommandHandler(PauseControl)
export class PauseControlHandler extends ChangeControlHandler implements ICommandHandler<PauseControl> {
  protected readonly type = 'PauseControl';
}

@CommandHandler(ResumeControl)
export class ResumeControlHandler extends ChangeControlHandler implements ICommandHandler<ResumeControl> {
  protected readonly type = 'ResumeControl';
}
