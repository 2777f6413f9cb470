import type { StreamKind } from '@app/event-store';
import { walletDecider, type WalletCommand, type WalletState } from './wallet.decider';
import { walletMembers, type WalletEvent } from './wallet.events';

/** `wallet-<userId>`: a user has one wallet. */
export const walletKind: StreamKind<WalletState | null, WalletCommand, WalletEvent> = {
  category: 'wallet',
  decider: walletDecider,
  members: walletMembers,
  stateVersion: 1,
};
