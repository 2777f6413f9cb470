import { Injectable } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, ok, type Cause, type Result, type UserId } from '@app/kernel';
import { Wallets } from './wallets';

/** A change of a wallet by an operator. Idempotent. Refuses with `not_found`. @throws Unavailable */
abstract class ChangeWallet extends Command<Result<void>> {
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

/** Stops new payments from the wallet; submissions already sent are followed to their end. */
export class DisableWallet extends ChangeWallet {}

/** Allows payments from the wallet again. */
export class EnableWallet extends ChangeWallet {}

@Injectable()
abstract class ChangeWalletHandler {
  protected abstract readonly type: 'DisableWallet' | 'EnableWallet';

  constructor(
    private readonly wallets: Wallets,
    private readonly clock: Clock,
  ) {}

  async execute({ change: { userId, reason, cause } }: ChangeWallet): Promise<Result<void>> {
    const done = await this.wallets.record(userId, { type: this.type, at: this.clock.now(), reason }, cause);
    return done.ok ? ok(undefined) : done;
  }
}

@CommandHandler(DisableWallet)
export class DisableWalletHandler extends ChangeWalletHandler implements ICommandHandler<DisableWallet> {
  protected readonly type = 'DisableWallet';
}

@CommandHandler(EnableWallet)
export class EnableWalletHandler extends ChangeWalletHandler implements ICommandHandler<EnableWallet> {
  protected readonly type = 'EnableWallet';
}
