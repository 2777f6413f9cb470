import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is due later, by the service's clock. No events: the streams say what each timer is for, and it can be scheduled again from them. */
export class CreateTimers1700000000500 implements MigrationInterface {
  name = 'CreateTimers1700000000500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE timers (
        id text PRIMARY KEY, kind text NOT NULL, due_at_ms bigint NOT NULL, payload jsonb NOT NULL,
        claimed_by uuid, failures integer NOT NULL DEFAULT 0, retry_at timestamptz);
      CREATE INDEX timers_due ON timers (due_at_ms);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE timers');
  }
}
