import { instant, oneOf, shape, text, uuid, type Shaped } from '@app/schema';
import { walletAuthStatuses, walletStatuses, type WalletState } from './wallet.decider';

/** 64 lower-case hex characters, as for every implicit account of NEAR. */
export const implicitAccount = /^[0-9a-f]{64}$/;

/** Wallet, as the specification shapes it. */
export const Wallet = shape('Wallet', {
  id: uuid({ description: "The wallet's own id, distinct from the user's" }),
  address: text({ pattern: implicitAccount, description: 'An implicit account: the public key in hex' }),
  intentsAccountId: text({ pattern: implicitAccount, description: 'Currently the same as `address`' }),
  status: oneOf(walletStatuses, { description: '`disabled` after an operator has turned it off' }),
  authStatus: oneOf(walletAuthStatuses, {
    description:
      '`pending` before the first connection, `ready` with a provider session; `authorization_required`: the provider rejected the session, `wallets.ensure` reconnects',
  }),
  createdAt: instant(),
});
export type WalletView = Shaped<typeof Wallet>;

/** The wallet used in the examples of the reference. */
export const walletExample = {
  id: '019a3c5d-9e10-7b3a-8c4d-2f1e0d9c8b7a',
  address: '0dd5ef317adfc8ca6e3979b0dd747d6956349f1750bb3a263ea99d52edfe5f16',
  intentsAccountId: '0dd5ef317adfc8ca6e3979b0dd747d6956349f1750bb3a263ea99d52edfe5f16',
  status: 'active',
  authStatus: 'ready',
  createdAt: '2026-11-21T09:14:02.310Z',
} as const satisfies WalletView;

/** A wallet as the API returns it. */
export function walletView({ walletId, address, status, authStatus, createdAt }: WalletState): WalletView {
  return { id: walletId, address, intentsAccountId: address, status, authStatus, createdAt };
}
