import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ok, refuse, withdrawalChanged, type Cause, type Result, type UserId, type WalletId } from '@app/kernel';
import { Configuration } from '@app/settings';
import { EnsureWallet } from './ensure-wallet';
import { mainAccountOf } from './owner';
import { unusable } from './wallet.decider';
import { Wallets } from './wallets';

/** A wallet that an agent may work with. */
export interface AgentWallet {
  readonly walletId: WalletId;
  /** The account that receives withdrawals, as the owner's latest token names it; null when no token named one. */
  readonly mainAccountId: string | null;
}

/** Why an agent cannot use the wallet: there is none, or only its owner or an operator can make it usable again. */
export type NoAgentWallet = 'none' | 'unusable';

/** The wallets as agents use them, without a token of their owner. */
@Injectable()
export class AgentWallets {
  constructor(
    private readonly wallets: Wallets,
    private readonly configuration: Configuration,
    private readonly commands: CommandBus,
  ) {}

  /** The wallet as of now; creates nothing, opens no session (docs/decisions/runs.md, "Tools"). @throws Unavailable */
  async find(userId: UserId): Promise<AgentWallet | NoAgentWallet> {
    const found = await this.wallets.find(userId);
    if (found === null) return 'none';
    const { walletId, mainAccountId } = found;
    return unusable(found) === null ? { walletId, mainAccountId } : 'unusable';
  }

  /**
   * Returns the user's wallet for a contract that the user defines; creates an empty one, as `wallets.ensure` does, if
   * there is none. Never renews a rejected session, because only the owner may do that. Refuses with
   * `withdrawal_changed` when the wallet cannot be used or no main account is known. @throws Unavailable
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
