import { migration } from '@app/read-store';

export const walletKeysMigrations = [
  // The wallets' sealed keys. Not a read model: no rebuild touches them, and without them the wallets' money cannot be
  // moved.
  migration(
    600,
    'CreateWalletKeys',
    `
      CREATE TABLE wallet_keys (
        user_id uuid PRIMARY KEY, public_key text NOT NULL UNIQUE, sealed bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now())`,
  ),
];
