import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { Clock, ok, refuse, type Cause, type Result, type UserId } from '@app/kernel';
import { userKind } from './user.stream';

/**
 * Makes sure that a verified identity has an account. Idempotent, also when concurrent. Refuses with
 * `account_disabled`.
 */
export class EnsureUser extends Command<Result<void>> {
  /** @param identity includes the account id, which derives from issuer and subject */
  constructor(
    readonly identity: {
      readonly userId: UserId;
      readonly issuer: string;
      readonly subject: string;
    },
    readonly cause: Cause,
  ) {
    super();
  }
}

@CommandHandler(EnsureUser)
export class EnsureUserHandler implements ICommandHandler<EnsureUser> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  async execute({ identity: { userId, issuer, subject }, cause }: EnsureUser): Promise<Result<void>> {
    const command = { type: 'EnsureUser', at: this.clock.now(), issuer, subject } as const;
    const done = await this.streams.decide(userKind, userId, command, cause, { visible: true });
    return done.ok ? ok(undefined) : refuse(done.refusal);
  }
}
