import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, ok, type Cause, type Result, type UserId } from '@app/kernel';
import { Wallets } from './wallets';

/** A change of a wallet by an operator. */
interface WalletChange {
  readonly userId: UserId;
  /** The operator's reason, stored in the event. */
  readonly reason: string;
  readonly cause: Cause;
}

/**
 * Stops new payments from the wallet; submissions already sent are followed to their end. Idempotent. Refuses with `not_found`.
 * @throws Unavailable
 */
export class DisableWallet extends Command<Result<void>> {
  constructor(readonly change: WalletChange) {
    super();
  }
}

/** Allows payments from the wallet again. Idempotent. Refuses with `not_found`. @throws Unavailable */
export class EnableWallet extends Command<Result<void>> {
  constructor(readonly change: WalletChange) {
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
    const done = await this.wallets.record(userId, { type: 'DisableWallet', at: this.clock.now(), reason }, cause);
    return done.ok ? ok(undefined) : done;
  }
}

@CommandHandler(EnableWallet)
export class EnableWalletHandler implements ICommandHandler<EnableWallet> {
  constructor(
    private readonly wallets: Wallets,
    private readonly clock: Clock,
  ) {}

  async execute({ change: { userId, reason, cause } }: EnableWallet): Promise<Result<void>> {
    const done = await this.wallets.record(userId, { type: 'EnableWallet', at: this.clock.now(), reason }, cause);
    return done.ok ? ok(undefined) : done;
  }
}
