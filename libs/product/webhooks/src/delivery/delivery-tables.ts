import { migration } from '@app/read-store';

export const deliveriesMigrations = [
  // Pending deliveries and the health of endpoints. Not a read model, because another server's answer is no event of
  // ours.
  migration(
    760,
    'CreateWebhookDeliveries',
    `
      CREATE TABLE webhook_targets (
        endpoint_id uuid PRIMARY KEY, url text NOT NULL, types text[], payload text NOT NULL,
        is_enabled boolean NOT NULL, is_deleted boolean NOT NULL DEFAULT false, disabled_at_ms bigint, epoch integer NOT NULL,
        revision bigint NOT NULL, is_stale boolean NOT NULL DEFAULT false,
        failures integer NOT NULL DEFAULT 0, failing_since_ms bigint, period integer NOT NULL DEFAULT 0, waking_from integer,
        resting_until timestamptz) WITH (fillfactor = 50);

      CREATE TABLE webhook_deliveries (
        id uuid PRIMARY KEY, seq bigint GENERATED ALWAYS AS IDENTITY, endpoint_id uuid NOT NULL, notice_id uuid NOT NULL, type text NOT NULL,
        stream text NOT NULL, revision bigint NOT NULL, is_own boolean NOT NULL, epoch integer NOT NULL,
        state text NOT NULL DEFAULT 'pending', attempts integer NOT NULL DEFAULT 0, failed_in integer, created_at_ms bigint NOT NULL,
        last_at_ms bigint, last_status integer, last_failure text, finished_at_ms bigint);
      CREATE INDEX webhook_deliveries_of_endpoint ON webhook_deliveries (endpoint_id, seq);
      CREATE INDEX webhook_deliveries_by_state ON webhook_deliveries (endpoint_id, state, seq);
      CREATE INDEX webhook_deliveries_owed ON webhook_deliveries (endpoint_id, stream, revision) WHERE state = 'pending';
      CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (state, finished_at_ms) WHERE state <> 'pending';

      CREATE TABLE webhook_lanes (
        endpoint_id uuid NOT NULL, stream text NOT NULL, due_at_ms bigint NOT NULL, is_own boolean NOT NULL, epoch integer NOT NULL,
        version integer NOT NULL DEFAULT 0, down_in integer, is_probing boolean NOT NULL DEFAULT false,
        lease uuid, claimed_by uuid, leased_until timestamptz, PRIMARY KEY (endpoint_id, stream));
      CREATE INDEX webhook_lanes_due ON webhook_lanes (endpoint_id, due_at_ms);
      CREATE INDEX webhook_lanes_down ON webhook_lanes (endpoint_id, down_in) WHERE down_in IS NOT NULL;

      CREATE TABLE webhook_marks (at_ms bigint PRIMARY KEY, position bigint NOT NULL);
      CREATE TABLE webhook_gaps (endpoint_id uuid NOT NULL, from_ms bigint NOT NULL, to_ms bigint NOT NULL, PRIMARY KEY (endpoint_id, from_ms));
      CREATE TABLE webhook_recoveries (endpoint_id uuid PRIMARY KEY, since_ms bigint NOT NULL, position bigint NOT NULL);
    `,
  ),
];

/** Notifies workers that something may be due. */
export const deliveriesChannel = 'parley_deliveries';
/** Notifies the leader that there is something to recover or to wake. */
export const recoveriesChannel = 'parley_webhook_recoveries';

/** How long deliveries are kept: delivered ones, and those given up or canceled. By the service clock. */
export const deliveredKeptMs = 3 * 86_400_000;
export const finishedKeptMs = 30 * 86_400_000;
/** Longer than anything can be recovered. */
export const marksKeptMs = finishedKeptMs + 86_400_000;
/** Maximum difference between the clock of a process that appended an event and the clock used for marks. */
export const skewMs = 60_000;
