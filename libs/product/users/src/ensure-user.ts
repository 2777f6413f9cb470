import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Transact } from '@app/event-store';
import { Clock, ok, refuse, type Cause, type Result, type UserId } from '@app/kernel';
import { ReadGate } from '@app/read-store';
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
    private readonly commands: CommandBus,
    private readonly clock: Clock,
    private readonly gate: ReadGate,
  ) {}

  /** Idempotent, also under races. Refuses with `account_disabled`. */
  async ensure({ userId, issuer, subject, cause }: Identity): Promise<Result<void>> {
    const command = { type: 'EnsureUser', at: this.clock.now(), issuer, subject } as const;
    const done = await this.commands.execute(new Transact(userKind, userId, command, cause));
    if (!done.accepted) return refuse(done.refusal);
    await this.gate.waitForProjection(done.position);
    return ok(undefined);
  }
}
