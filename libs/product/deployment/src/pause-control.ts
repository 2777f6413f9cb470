import { Injectable } from '@nestjs/common';
import { Streams } from '@app/event-store';
import { Clock, ok, refuse, type Cause, type Result } from '@app/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { controlsAgeMaxMs } from './deployment-controls';
import type { Control } from './deployment.events';
import { deploymentId, deploymentKind } from './deployment.stream';

export interface ControlChange {
  readonly control: Control;
  /** Why the operator does it; kept in the event. */
  readonly reason: string;
  readonly cause: Cause;
}

/** Pauses and resumes what the deployment takes on (docs/decisions/operators.md). Work already admitted goes on. */
@Injectable()
export class PauseControl {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  /** Idempotent. Answers when every replica goes by it. */
  async pause(change: ControlChange): Promise<Result<void>> {
    return this.change('PauseControl', change);
  }

  /** Idempotent. Answers when every replica goes by it. */
  async resume(change: ControlChange): Promise<Result<void>> {
    return this.change('ResumeControl', change);
  }

  private async change(
    type: 'PauseControl' | 'ResumeControl',
    { control, reason, cause }: ControlChange,
  ): Promise<Result<void>> {
    const command = { type, at: this.clock.now(), control, reason };
    const done = await this.streams.decide(deploymentKind, deploymentId, command, cause);
    if (!done.ok) return refuse(done.refusal);
    // By then no replica can know the controls from before.
    await sleep(controlsAgeMaxMs);
    return ok(undefined);
  }
}
