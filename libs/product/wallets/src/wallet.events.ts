import type { Instant, UserId, WalletId } from '@app/kernel';

/** The facts of one user's agent wallet, in stream `wallet-<userId>`. */
export type WalletEvent =
  | {
      readonly type: 'wallet.created';
      readonly at: Instant;
      readonly userId: UserId;
      readonly walletId: WalletId;
      /** 64 lower-case hex characters: the public key, and so the implicit account. */
      readonly address: string;
      readonly provider: ProviderName;
    }
  /** The provider has a session for it. */
  | { readonly type: 'wallet.connected'; readonly at: Instant }
  /** The provider no longer takes its session; the owner must reconnect through `wallets.ensure`. */
  | { readonly type: 'wallet.session_rejected'; readonly at: Instant }
  /** Where its owner's withdrawals land, as a trusted token of the owner said last. */
  | { readonly type: 'wallet.main_account_set'; readonly at: Instant; readonly mainAccountId: string }
  | { readonly type: 'wallet.disabled' | 'wallet.enabled'; readonly at: Instant; readonly reason: string };

export type ProviderName = 'sandbox' | 'near-intents';
