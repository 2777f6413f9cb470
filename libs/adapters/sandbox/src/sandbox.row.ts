import { migration } from '@app/read-store';

export const sandboxStateMigrations = [
  // The sandbox's state for all processes of a deployment, one row each: the clock's offset, model faults, the issuer's
  // keys.
  migration(
    510,
    'CreateSandboxState',
    `
      CREATE TABLE sandbox_state (name text PRIMARY KEY, value jsonb NOT NULL);
      INSERT INTO sandbox_state (name, value)
      VALUES ('clock', '{"offsetMs": 0}'), ('model_faults', '{"delayMs": null, "fail": false}');
    `,
  ),
];

export const sandboxLedgerMigrations = [
  // The sandbox provider's books. A transfer is one row with both of its accounts, so each token sums to zero by
  // construction; balances are kept in a table next to it. Only the market (`pool`) and the world (`outside`) may be
  // negative.
  migration(
    620,
    'CreateSandboxLedger',
    `
      CREATE TABLE ledger_transfers (
        key text PRIMARY KEY, from_account text NOT NULL, to_account text NOT NULL CHECK (to_account <> from_account),
        token_id text NOT NULL, amount numeric NOT NULL CHECK (amount > 0 AND amount = trunc(amount)), at text NOT NULL);
      CREATE TABLE ledger_balances (
        account text NOT NULL, token_id text NOT NULL,
        amount numeric NOT NULL CHECK (amount >= 0 OR account IN ('pool', 'outside')),
        PRIMARY KEY (account, token_id));
      CREATE TABLE sandbox_wallets (
        address text PRIMARY KEY, user_id uuid NOT NULL UNIQUE, session_rejected boolean NOT NULL DEFAULT false);
      CREATE TABLE sandbox_orders (
        key text PRIMARY KEY, address text NOT NULL, digest text NOT NULL,
        status text NOT NULL CHECK (status IN ('accepted', 'settled', 'refunded', 'rejected', 'never_accepted')),
        input_token text NOT NULL, input_amount numeric NOT NULL, output_token text, output_amount numeric, main_account text,
        outcome text NOT NULL, hidden boolean NOT NULL, settles_at text NOT NULL, delivered numeric, failure jsonb);
      CREATE INDEX sandbox_orders_due ON sandbox_orders (address, settles_at) WHERE status = 'accepted';
      INSERT INTO sandbox_state (name, value) VALUES ('pinned_prices', '{}'), ('provider_faults', '{
        "submit": "ok", "settleAfterSeconds": 2, "down": false, "sessionRejected": false,
        "duplicateCallbacks": false, "unpriced": false, "undescribed": false}')`,
  ),
];
