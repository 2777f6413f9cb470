import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ok, refuse, withdrawalChanged, type Cause, type Result, type UserId, type WalletId } from '@app/kernel';
import { Configuration } from '@app/runtime';
import { EnsureWallet } from './ensure-wallet';
import { mainAccountOf } from './main-account';
import { unusable } from './wallet.decider';
import { Wallets } from './wallets';

/** A wallet that an agent may work with. */
export interface AgentWallet {
  readonly walletId: WalletId;
  /** Where its owner's withdrawals land, as the owner's token said last; null when none ever said it. */
  readonly mainAccountId: string | null;
}

/** Why an agent can do nothing with the wallet: there is none, or only its owner, or an operator, can make it work again. */
export type NoAgentWallet = 'none' | 'unusable';

/** Wallets as agents get hold of them, without a token of their owner. */
@Injectable()
export class AgentWallets {
  constructor(
    private readonly wallets: Wallets,
    private readonly configuration: Configuration,
    private readonly commands: CommandBus,
  ) {}

  /** The user's wallet as it is: nothing is created, and no session is opened (docs/decisions/runs.md, "Tools"). @throws Unavailable */
  async find(userId: UserId): Promise<AgentWallet | NoAgentWallet> {
    const found = await this.wallets.find(userId);
    if (found === null) return 'none';
    const { walletId, mainAccountId } = found;
    return unusable(found) === null ? { walletId, mainAccountId } : 'unusable';
  }

  /**
   * For a contract that the user defines: the user's wallet; an owner who has none yet gets one, empty, as by `wallets.ensure`. A session that was rejected is never
   * renewed here: that is the owner's to do. Refuses with `withdrawal_changed` when the wallet cannot be used, or no main account is
   * known. @throws Unavailable
   */
  async open(userId: UserId, cause: Cause): Promise<Result<AgentWallet>> {
    const found = await this.wallets.find(userId);
    const derived = { userId, mainAccountId: mainAccountOf(this.configuration, userId, null), cause };
    const ensured = found === null ? await this.commands.execute(new EnsureWallet(derived)) : ok(found);
    if (!ensured.ok) return ensured;
    const { walletId, mainAccountId } = ensured.value;
    const why = unusable(ensured.value);
    if (why !== null) return refuse(withdrawalChanged(why));
    return mainAccountId === null ? refuse(withdrawalChanged('main_account_missing')) : ok({ walletId, mainAccountId });
  }
}
