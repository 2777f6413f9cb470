import type { WalletState } from './wallet.decider';

/** Wallet, as the specification shapes it. */
export interface WalletView {
  readonly id: string;
  readonly address: string;
  readonly intentsAccountId: string;
  readonly status: WalletState['status'];
  readonly authStatus: WalletState['authStatus'];
  readonly createdAt: string;
}

export function walletView({ walletId, address, status, authStatus, createdAt }: WalletState): WalletView {
  return { id: walletId, address, intentsAccountId: address, status, authStatus, createdAt };
}
