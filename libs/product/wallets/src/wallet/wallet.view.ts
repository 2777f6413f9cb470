import type { WalletState } from './wallet.decider';
import type { WalletView } from './wallet.schema';

/** A wallet as the API returns it. */
export function walletView({ walletId, address, status, authStatus, createdAt }: WalletState): WalletView {
  return { id: walletId, address, intentsAccountId: address, status, authStatus, createdAt };
}
