import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the sandbox keeps for all processes of a deployment, one row each: the clock's offset, model faults, the issuer's keys. */
export class CreateSandboxState1700000000510 implements MigrationInterface {
  name = 'CreateSandboxState1700000000510';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE sandbox_state (name text PRIMARY KEY, value jsonb NOT NULL)');
    await runner.query(`
      INSERT INTO sandbox_state (name, value)
      VALUES ('clock', '{"offsetMs": 0}'), ('model_faults', '{"delayMs": null, "fail": false}')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sandbox_state');
  }
}
