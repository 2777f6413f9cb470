import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { Clock, ok, refuse, type Cause, type Result, type UserId } from '@app/kernel';
import { userKind } from './user.stream';

/** Enables a disabled account. Idempotent. Refuses with `not_found`. */
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
export class EnableUserHandler implements ICommandHandler<EnableUser> {
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
