import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, ok, type Cause, type Result, type UserId } from '@app/kernel';
import { Wallets } from './wallets';

/** Allows payments from the wallet again. For operators. Idempotent. Refuses with `not_found`. @throws Unavailable */
export class EnableWallet extends Command<Result<void>> {
  constructor(
    readonly change: {
      readonly userId: UserId;
      /** The operator's reason, stored in the event. */
      readonly reason: string;
      readonly cause: Cause;
    },
  ) {
    super();
  }
}

@CommandHandler(EnableWallet)
export class EnableWalletHandler implements ICommandHandler<EnableWallet> {
  constructor(
    private readonly wallets: Wallets,
    private readonly clock: Clock,
  ) {}

  async execute({ change: { userId, reason, cause } }: EnableWallet): Promise<Result<void>> {
    const command = { type: 'EnableWallet', at: this.clock.now(), reason } as const;
    const done = await this.wallets.record(userId, command, cause);
    return done.ok ? ok(undefined) : done;
  }
}
