import { migration } from '@app/read-store';

export const operationalTablesMigrations = [
  // The last check of each automation: one row each, overwritten. No read model, because most checks leave no event.
  migration(
    672,
    'CreateAutomationChecks',
    `
      CREATE TABLE automation_checks (
        automation_id uuid PRIMARY KEY, at text NOT NULL, epoch uuid NOT NULL, condition text NOT NULL,
        facts json NOT NULL, omitted_facts integer NOT NULL, reasons json NOT NULL) WITH (fillfactor = 50)`,
  ),
  // The sealed secrets of webhooks. No read model, because events carry only the key's id; no rebuild touches them.
  migration(
    673,
    'CreateWebhookKeys',
    `
      CREATE TABLE webhook_keys (
        key_id uuid PRIMARY KEY, automation_id uuid NOT NULL, sealed bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now());
      CREATE INDEX webhook_keys_of_automation ON webhook_keys (automation_id);
    `,
  ),
  // Places of automations that are being created. No read model: once the read model has an automation, it is counted
  // there.
  migration(
    674,
    'CreateAutomationPlaces',
    `
      CREATE TABLE automation_places (
        automation_id uuid PRIMARY KEY, user_id uuid NOT NULL, taken_at timestamptz NOT NULL DEFAULT now());
      CREATE INDEX automation_places_of_user ON automation_places (user_id);
    `,
  ),
];
