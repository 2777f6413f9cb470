import { Injectable } from '@nestjs/common';
import { Streams } from '@app/event-store';
import { Clock, ok, refuse, type Cause, type Result, type UserId } from '@app/kernel';
import { userKind } from './user.stream';

/** A verified identity, with the account id that derives from it. */
export interface Identity {
  readonly userId: UserId;
  readonly issuer: string;
  readonly subject: string;
  readonly cause: Cause;
}

/** `users.ensure`: makes sure that an identity has its account. */
@Injectable()
export class EnsureUser {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  /** Idempotent, also under races. Refuses with `account_disabled`. */
  async ensure({ userId, issuer, subject, cause }: Identity): Promise<Result<void>> {
    const command = { type: 'EnsureUser', at: this.clock.now(), issuer, subject } as const;
    const done = await this.streams.decide(userKind, userId, command, cause, { visible: true });
    if (!done.ok) return refuse(done.refusal);
    return ok(undefined);
  }
}
