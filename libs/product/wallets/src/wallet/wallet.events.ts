import type { Instant, MarksOf, UserId, WalletId } from '@app/kernel';
import type { ProviderName } from '../provider/wallet-provider';

/** The events of one user's agent wallet, in stream `wallet-<userId>`. */
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
  /** The provider no longer accepts its session; the owner must reconnect through `wallets.ensure`. */
  | { readonly type: 'wallet.session_rejected'; readonly at: Instant }
  /** The account that receives its owner's withdrawals, as named by the owner's latest trusted token. */
  | { readonly type: 'wallet.main_account_set'; readonly at: Instant; readonly mainAccountId: string }
  | { readonly type: 'wallet.disabled' | 'wallet.enabled'; readonly at: Instant; readonly reason: string };

/** A wallet's stream is the books. */
export const walletMembers: MarksOf<WalletEvent> = {
  'wallet.created': { userId: 'clear', walletId: 'clear', address: 'clear', provider: 'clear' },
  'wallet.connected': {},
  'wallet.session_rejected': {},
  'wallet.main_account_set': { mainAccountId: 'clear' },
  'wallet.disabled': { reason: 'clear' },
  'wallet.enabled': { reason: 'clear' },
};
