import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The last check of each automation: one row each, overwritten. No read model, since most checks leave no event. */
export class CreateAutomationChecks1700000000672 implements MigrationInterface {
  name = 'CreateAutomationChecks1700000000672';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE automation_checks (
        automation_id uuid PRIMARY KEY, at text NOT NULL, epoch uuid NOT NULL, condition text NOT NULL,
        facts json NOT NULL, omitted_facts integer NOT NULL, reasons json NOT NULL) WITH (fillfactor = 50)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE automation_checks');
  }
}

/** The sealed secrets of webhooks. No read model: no rebuild touches them, and events carry the key's id only. */
export class CreateWebhookKeys1700000000673 implements MigrationInterface {
  name = 'CreateWebhookKeys1700000000673';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhook_keys (
        key_id uuid PRIMARY KEY, automation_id uuid NOT NULL, sealed bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now());
      CREATE INDEX webhook_keys_of_automation ON webhook_keys (automation_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE webhook_keys');
  }
}

/** Places of automations that are being created. No read model: what the read model has is counted there. */
export class CreateAutomationPlaces1700000000674 implements MigrationInterface {
  name = 'CreateAutomationPlaces1700000000674';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE automation_places (
        automation_id uuid PRIMARY KEY, user_id uuid NOT NULL, taken_at timestamptz NOT NULL DEFAULT now());
      CREATE INDEX automation_places_of_user ON automation_places (user_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE automation_places');
  }
}
