import { Injectable } from '@nestjs/common';
import { because, ok, refuse, type Cause, type Result, type UserId, type WalletId } from '@app/kernel';
import { Configuration } from '@app/runtime';
import { mainAccountOf } from './main-account';
import { usable } from './wallet.decider';
import { Wallets } from './wallets';

/** A wallet that an agent may work with. */
export interface AgentWallet {
  readonly walletId: WalletId;
  /** Where its owner's withdrawals land, as the owner's token said last. */
  readonly mainAccountId: string;
}

/** Wallets as agents get hold of them, without a token of their owner. */
@Injectable()
export class AgentWallets {
  constructor(
    private readonly wallets: Wallets,
    private readonly configuration: Configuration,
  ) {}

  /**
   * The user's wallet; an owner who has none yet gets one, empty, as by `wallets.ensure`. A session that was rejected is never
   * renewed here: that is the owner's to do. Refuses with `withdrawal_changed` when the wallet cannot be used, or no main account is
   * known. @throws Unavailable
   */
  async open(userId: UserId, cause: Cause): Promise<Result<AgentWallet>> {
    const found = await this.wallets.find(userId);
    const derived = mainAccountOf(this.configuration, userId, null);
    const ensured = found === null ? await this.wallets.ensure(userId, derived, cause) : ok(found);
    if (!ensured.ok) return ensured;
    const { walletId, mainAccountId } = ensured.value;
    return usable(ensured.value) && mainAccountId !== null
      ? ok({ walletId, mainAccountId })
      : refuse(because('withdrawal_changed'));
  }
}
