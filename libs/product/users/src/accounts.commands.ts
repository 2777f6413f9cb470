import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import type { KnownIdentity } from '@app/http';
import { Clock, ok, refuse, type Cause, type Result, type UserId } from '@app/kernel';
import { ReadGate } from '@app/read-store';
import { Identities } from './identities';
import { userKind } from './user.stream';
import { StoredAccounts } from './accounts.queries';

/**
 * Makes sure that a verified identity has an account, and returns its user. Idempotent, also when concurrent. Refuses with
 * `account_disabled`.
 */
export class EnsureUser extends Command<Result<UserId>> {
  constructor(
    readonly identity: KnownIdentity,
    readonly causeFor: (userId: UserId) => Cause,
  ) {
    super();
  }
}

@CommandHandler(EnsureUser)
class EnsureUserHandler implements ICommandHandler<EnsureUser> {
  constructor(
    private readonly identities: Identities,
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  async execute({ identity, causeFor }: EnsureUser): Promise<Result<UserId>> {
    const { issuer, subject } = identity;
    const opened = await this.identities.open(identity);
    if (!opened.ok) return opened;
    const userId = opened.value;
    const command = { type: 'EnsureUser', at: this.clock.now(), issuer, subject } as const;
    const done = await this.streams.decide(userKind, userId, command, causeFor(userId), { visible: true });
    return done.ok ? ok(userId) : refuse(done.refusal);
  }
}

/**
 * Disables an account (docs/decisions/operators.md): its requests are refused with `account_disabled` from now on; its
 * history is kept. Idempotent. Refuses with `not_found`.
 * @throws NotInEffect where the read model of users still admits it
 */
export class DisableUser extends Command<Result<void>> {
  constructor(
    readonly change: {
      readonly userId: UserId;
      /** The operator's reason; stored in the event. */
      readonly reason: string;
      readonly cause: Cause;
    },
  ) {
    super();
  }
}

@CommandHandler(DisableUser)
class DisableUserHandler implements ICommandHandler<DisableUser> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly accounts: StoredAccounts,
    private readonly gate: ReadGate,
  ) {}

  async execute({ change: { userId, reason, cause } }: DisableUser): Promise<Result<void>> {
    const command = { type: 'DisableUser', at: this.clock.now(), reason } as const;
    const done = await this.streams.decide(userKind, userId, command, cause, { visible: true });
    if (!done.ok) return refuse(done.refusal);
    await this.gate.untilInEffect('users', async () => {
      return (await this.accounts.findMany([userId])).get(userId)?.disabled !== false;
    });
    return ok(undefined);
  }
}

/** Enables a disabled account. Idempotent. Refuses with `not_found`, and with `account_disabled` once it is erased. */
export class EnableUser extends Command<Result<void>> {
  constructor(
    readonly change: {
      readonly userId: UserId;
      /** The operator's reason; stored in the event. */
      readonly reason: string;
      readonly cause: Cause;
    },
  ) {
    super();
  }
}

@CommandHandler(EnableUser)
class EnableUserHandler implements ICommandHandler<EnableUser> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  async execute({ change: { userId, reason, cause } }: EnableUser): Promise<Result<void>> {
    const command = { type: 'EnableUser', at: this.clock.now(), reason } as const;
    const done = await this.streams.decide(userKind, userId, command, cause, { visible: true });
    return done.ok ? ok(undefined) : refuse(done.refusal);
  }
}

/** Records that the keys of an account are destroyed: it stays disabled for good. Idempotent. Refuses with `not_found`. */
export class EraseUser extends Command<Result<void>> {
  constructor(
    readonly userId: UserId,
    readonly cause: Cause,
  ) {
    super();
  }
}

@CommandHandler(EraseUser)
class EraseUserHandler implements ICommandHandler<EraseUser> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, cause }: EraseUser): Promise<Result<void>> {
    const command = { type: 'EraseUser', at: this.clock.now() } as const;
    const done = await this.streams.decide(userKind, userId, command, cause, { visible: true });
    return done.ok ? ok(undefined) : refuse(done.refusal);
  }
}

export const userHandlers = [EnsureUserHandler, DisableUserHandler, EnableUserHandler, EraseUserHandler];
