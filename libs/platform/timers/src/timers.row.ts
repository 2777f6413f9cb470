import { migration } from '@app/read-store';

export const timersMigrations = [
  // Work that is due later, by the service's clock. No events: the streams record the purpose of each timer, which can be scheduled again
  // from them.
  migration(
    500,
    'CreateTimers',
    `
      CREATE TABLE timers (
        id text PRIMARY KEY, kind text NOT NULL, due_at_ms bigint NOT NULL, payload jsonb NOT NULL,
        claimed_by uuid, failures integer NOT NULL DEFAULT 0, retry_at timestamptz);
      CREATE INDEX timers_due ON timers (due_at_ms);
    `,
  ),
];
