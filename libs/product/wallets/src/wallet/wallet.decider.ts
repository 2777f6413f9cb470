import { accept, notBegun, notFound, reject, unreachable } from '@app/kernel';
import type { Decider, Decision, Instant, UserId, WalletId } from '@app/kernel';
import type { WalletEvent } from './wallet.events';
import type { ProviderName } from '../provider/wallet-provider';

export type WalletCommand =
  /** `mainAccountId` null: the owner's token names none, and an account named earlier is kept. */
  | (Omit<WalletIdentity, 'createdAt'> & {
      readonly type: 'EnsureWallet';
      readonly at: Instant;
      readonly mainAccountId: string | null;
    })
  | { readonly type: 'RecordSession' | 'RecordRejection'; readonly at: Instant }
  /** Issued by an operator, with a reason that is stored. */
  | { readonly type: 'DisableWallet' | 'EnableWallet'; readonly at: Instant; readonly reason: string };

interface WalletIdentity {
  readonly userId: UserId;
  /** The wallet's own id, distinct from the user's. */
  readonly walletId: WalletId;
  /** 64 lower-case hex characters. */
  readonly address: string;
  readonly provider: ProviderName;
  readonly createdAt: Instant;
}

export const walletStatuses = ['active', 'disabled'] as const;
export const walletAuthStatuses = ['pending', 'ready', 'authorization_required'] as const;

/** A wallet that exists. */
export interface WalletState extends WalletIdentity {
  readonly status: (typeof walletStatuses)[number];
  readonly authStatus: (typeof walletAuthStatuses)[number];
  /** The account that receives withdrawals; null when no token of the owner has named one so far. */
  readonly mainAccountId: string | null;
}

/** The rules of one user's wallet; null before its first ensure (specification, "Wallet"; docs/decisions/money.md). */
export const walletDecider: Decider<WalletState | null, WalletCommand, WalletEvent> = {
  initialState: null,

  decide: (command, wallet) => {
    if (command.type === 'EnsureWallet') return ensure(command, wallet);
    if (wallet === null) return reject(notFound);
    const { at } = command;
    switch (command.type) {
      case 'RecordSession':
        return wallet.authStatus === 'ready' ? accept() : accept({ type: 'wallet.connected', at });
      case 'RecordRejection':
        // A wallet that never had a session stays pending: the owner has to connect it, not to reconnect it.
        return wallet.authStatus === 'ready' ? accept({ type: 'wallet.session_rejected', at }) : accept();
      case 'DisableWallet':
        if (wallet.status === 'disabled') return accept();
        return accept({ type: 'wallet.disabled', at, reason: command.reason });
      case 'EnableWallet':
        if (wallet.status === 'active') return accept();
        return accept({ type: 'wallet.enabled', at, reason: command.reason });
      default:
        return unreachable(command);
    }
  },

  evolve: (wallet, event) => {
    if (event.type === 'wallet.created') {
      const { userId, walletId, address, provider, at: createdAt } = event;
      const identity = { userId, walletId, address, provider, createdAt };
      return { ...identity, status: 'active', authStatus: 'pending', mainAccountId: null };
    }
    return wallet === null ? notBegun(event) : after(wallet, event);
  },
};

/** Why no money may move: an operator disabled the wallet, or the provider has no session for it. Null when it may. */
export function unusable({ status, authStatus }: WalletState): 'wallet_disabled' | 'authorization_required' | null {
  if (status === 'disabled') return 'wallet_disabled';
  return authStatus === 'ready' ? null : 'authorization_required';
}

/** Creates the wallet once; of two racing creations the first one's ids are kept. A disabled wallet stays disabled. */
function ensure(
  { at, userId, walletId, address, provider, mainAccountId }: Extract<WalletCommand, { type: 'EnsureWallet' }>,
  wallet: WalletState | null,
): Decision<WalletEvent> {
  const events: WalletEvent[] = [];
  if (wallet === null) events.push({ type: 'wallet.created', at, userId, walletId, address, provider });
  if (mainAccountId !== null && mainAccountId !== wallet?.mainAccountId)
    events.push({ type: 'wallet.main_account_set', at, mainAccountId });
  return accept(...events);
}

function after(wallet: WalletState, event: Exclude<WalletEvent, { type: 'wallet.created' }>): WalletState {
  switch (event.type) {
    case 'wallet.connected':
      return { ...wallet, authStatus: 'ready' };
    case 'wallet.session_rejected':
      return { ...wallet, authStatus: 'authorization_required' };
    case 'wallet.main_account_set':
      return { ...wallet, mainAccountId: event.mainAccountId };
    case 'wallet.disabled':
      return { ...wallet, status: 'disabled' };
    case 'wallet.enabled':
      return { ...wallet, status: 'active' };
    default:
      return unreachable(event);
  }
}
