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
