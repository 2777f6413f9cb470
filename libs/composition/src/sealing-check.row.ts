import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One sealed value that only the key opens which everything else here was sealed with. */
export class CreateSealingCheck1700000000530 implements MigrationInterface {
  name = 'CreateSealingCheck1700000000530';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE TABLE sealing_check (one boolean PRIMARY KEY DEFAULT true CHECK (one), sealed bytea NOT NULL)',
    );
  }

  async down(): Promise<void> {
    throw new Error('the product migrates forward only');
  }
}
