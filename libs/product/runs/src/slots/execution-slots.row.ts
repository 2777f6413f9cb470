import { migration } from '@app/read-store';

/**
 * Table `execution_slots`: a row for each segment that executes or is about to, with the lease of its worker. It is not a read model, and
 * its rows are written without waiting for the disk, because the holder's next renewal or the watchdog restores rows that a crash of
 * PostgreSQL loses.
 */
export const executionSlotsMigrations = [
  migration(
    24,
    'LeaseExecutionSlots',
    `
      DROP FUNCTION take_execution_slot;
      DROP TABLE run_leases;
      DROP TABLE execution_slots;
      CREATE TABLE execution_slots (
        run_key uuid NOT NULL, segment integer NOT NULL, run_id uuid NOT NULL, conversation_id uuid NOT NULL,
        user_id uuid NOT NULL, shard integer NOT NULL, taken_at timestamptz NOT NULL DEFAULT now(),
        -- Who executes it until when; without a worker, from when on any worker may.
        worker_id uuid, expires_at timestamptz NOT NULL,
        PRIMARY KEY (run_key, segment));
      CREATE INDEX execution_slots_of_shard ON execution_slots (shard);
      CREATE INDEX execution_slots_of_user ON execution_slots (user_id);
      INSERT INTO execution_slots (run_key, segment, run_id, conversation_id, user_id, shard, expires_at)
        SELECT run_key, segment, id, conversation_id, user_id, 0, now() FROM runs
        WHERE status IN ('queued', 'running', 'stopping');

      -- For each that is wanted, by its place: 'taken' (now, or by this worker before), 'held' (by another), 'share' (its user has
      -- no more), or 'full' (the shard has no more). Whoever takes holds the locks of the users in their order, and then that of
      -- one shard: no two wait for each other, and the shards are counted side by side.
      CREATE FUNCTION take_execution_slots(
        runs uuid[], segments integer[], run_ids uuid[], conversations uuid[], users uuid[],
        worker uuid, lease_ms integer, user_share integer, chosen_shard integer, shard_size integer)
      RETURNS TABLE (place bigint, outcome text) LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        PERFORM pg_advisory_xact_lock(7265101, one.hash)
          FROM (SELECT DISTINCT hashtext(u::text) AS hash FROM unnest(users) AS u ORDER BY 1) AS one;
        PERFORM pg_advisory_xact_lock(7265100, chosen_shard);
        RETURN QUERY
        WITH wanted AS (
          SELECT w.*, s.run_key IS NOT NULL AS is_known, s.worker_id
          FROM unnest(runs, segments, run_ids, conversations, users)
            WITH ORDINALITY AS w (run_key, segment, run_id, conversation_id, user_id, place)
          LEFT JOIN execution_slots AS s ON s.run_key = w.run_key AND s.segment = w.segment),
        shares AS (
          SELECT s.user_id, count(*) AS held FROM execution_slots AS s WHERE s.user_id = ANY (users) GROUP BY s.user_id),
        of_users AS (
          SELECT w.*, coalesce(h.held, 0) + row_number() OVER (PARTITION BY w.user_id ORDER BY w.place) AS nth_of_user
          FROM wanted AS w LEFT JOIN shares AS h ON h.user_id = w.user_id WHERE NOT w.is_known),
        within_share AS (
          SELECT o.*, row_number() OVER (ORDER BY o.place) AS nth FROM of_users AS o WHERE o.nth_of_user <= user_share),
        taken AS (
          INSERT INTO execution_slots (run_key, segment, run_id, conversation_id, user_id, shard, worker_id, expires_at)
          SELECT i.run_key, i.segment, i.run_id, i.conversation_id, i.user_id, chosen_shard, worker,
                 now() + lease_ms * interval '1 ms'
          FROM within_share AS i
          WHERE i.nth <= shard_size - (SELECT count(*) FROM execution_slots AS s WHERE s.shard = chosen_shard)
          ON CONFLICT DO NOTHING RETURNING execution_slots.run_key, execution_slots.segment)
        SELECT w.place, CASE
          WHEN t.run_key IS NOT NULL OR (w.is_known AND w.worker_id = worker) THEN 'taken'
          WHEN w.is_known THEN 'held'
          WHEN i.run_key IS NOT NULL THEN 'full'
          ELSE 'share' END
        FROM wanted AS w
        LEFT JOIN taken AS t ON t.run_key = w.run_key AND t.segment = w.segment
        LEFT JOIN within_share AS i ON i.place = w.place
        ORDER BY w.place;
      END $$;

      CREATE FUNCTION release_execution_slots(runs uuid[], segments integer[]) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        DELETE FROM execution_slots AS s USING unnest(runs, segments) AS over (run_key, segment)
          WHERE s.run_key = over.run_key AND s.segment = over.segment;
      END $$;
    `,
  ),
];
