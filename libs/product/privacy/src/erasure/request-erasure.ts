import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { Clock, ok, refuse, type Cause, type Result, type UserId } from '@app/kernel';
import { Database } from '@app/read-store';
import { erasureKind } from './erasure.stream';

/** The channel on which workers are notified of a user to erase; the payload is the user's id. A hint. */
export const erasureWanted = 'parley_erasure_wanted';

/** Asks for the erasure of a user, who has an account. Idempotent: a worker does the rest, whatever dies meanwhile. @throws Unavailable */
export class RequestErasure extends Command<Result<void>> {
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

@CommandHandler(RequestErasure)
export class RequestErasureHandler implements ICommandHandler<RequestErasure> {
  constructor(
    private readonly streams: Streams,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async execute({ change: { userId, reason, cause } }: RequestErasure): Promise<Result<void>> {
    const command = { type: 'RequestErasure', at: this.clock.now(), reason } as const;
    const done = await this.streams.decide(erasureKind, userId, command, cause);
    if (!done.ok) return refuse(done.refusal);
    await this.database.query('SELECT pg_notify($1, $2)', [erasureWanted, userId]);
    return ok(undefined);
  }
}
