import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The wallets' sealed keys. No read model: no rebuild touches them, and without them the wallets' money cannot be moved. */
export class CreateWalletKeys1700000000600 implements MigrationInterface {
  name = 'CreateWalletKeys1700000000600';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE wallet_keys (
        user_id uuid PRIMARY KEY, public_key text NOT NULL UNIQUE, sealed bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now())`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE wallet_keys');
  }
}
