import { Injectable } from '@nestjs/common';
import { Streams } from '@app/event-store';
import { Clock, ok, refuse, type Cause, type Result, type UserId } from '@app/kernel';
import { userKind } from './user.stream';

export interface AccountChange {
  readonly userId: UserId;
  /** Why the operator does it; kept in the event. */
  readonly reason: string;
  readonly cause: Cause;
}

/** Takes an account out of service and back (docs/decisions/operators.md). Nothing of its history is lost. */
@Injectable()
export class DisableUser {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  /** From now on the account's requests are refused with `account_disabled`. Idempotent. Refuses with `not_found`. */
  async disable(change: AccountChange): Promise<Result<void>> {
    return this.change('DisableUser', change);
  }

  /** Idempotent. Refuses with `not_found`. */
  async enable(change: AccountChange): Promise<Result<void>> {
    return this.change('EnableUser', change);
  }

  private async change(
    type: 'DisableUser' | 'EnableUser',
    { userId, reason, cause }: AccountChange,
  ): Promise<Result<void>> {
    const command = { type, at: this.clock.now(), reason };
    const done = await this.streams.decide(userKind, userId, command, cause, { visible: true });
    if (!done.ok) return refuse(done.refusal);
    return ok(undefined);
  }
}
