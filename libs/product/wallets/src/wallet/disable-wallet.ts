import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, ok, type Cause, type Result, type UserId } from '@app/kernel';
import { Wallets } from './wallets';

/**
 * Stops new payments from the wallet; submissions already sent are followed to their end. For operators. Idempotent.
 * Refuses with `not_found`. @throws Unavailable
 */
export class DisableWallet extends Command<Result<void>> {
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

@CommandHandler(DisableWallet)
export class DisableWalletHandler implements ICommandHandler<DisableWallet> {
  constructor(
    private readonly wallets: Wallets,
    private readonly clock: Clock,
  ) {}

  async execute({ change: { userId, reason, cause } }: DisableWallet): Promise<Result<void>> {
    const command = { type: 'DisableWallet', at: this.clock.now(), reason } as const;
    const done = await this.wallets.record(userId, command, cause);
    return done.ok ? ok(undefined) : done;
  }
}
