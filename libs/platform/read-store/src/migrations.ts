import { migration } from './migration';

/** What PostgreSQL answers a projector whose checkpoints somebody else has moved. */
export const overtakenCode = 'PA001';

export const readStoreMigrations = [
  // The tables of the read store itself.
  // A snapshot's state is kept as `json`, not `jsonb`: it must come back as it was, the order of its members included.
  migration(
    0,
    'CreateReadStore',
    `
      CREATE TABLE projection_checkpoints (
        name text PRIMARY KEY, version integer NOT NULL, position bigint NOT NULL, updated_at timestamptz NOT NULL DEFAULT now());
      CREATE TABLE reactor_checkpoints (name text PRIMARY KEY, position bigint NOT NULL);
      CREATE TABLE list_counters (name text PRIMARY KEY, projection text NOT NULL, total bigint NOT NULL);
      CREATE TABLE snapshots (
        stream text PRIMARY KEY, version integer NOT NULL, revision bigint NOT NULL, state json NOT NULL);
      CREATE TABLE processes (
        id uuid PRIMARY KEY, api boolean NOT NULL, worker boolean NOT NULL,
        started_at timestamptz NOT NULL DEFAULT now(), heartbeat_at timestamptz NOT NULL DEFAULT now(),
        clock_offset_ms bigint NOT NULL DEFAULT 0);
    `,
  ),
  // What each process says of itself with its heartbeats.
  migration(1, 'TellTroubles', `ALTER TABLE processes ADD COLUMN troubles text[] NOT NULL DEFAULT '{}'`),
  // Places of what users are about to make, for as long as no read model counts it.
  migration(
    2,
    'CreateUserPlaces',
    `
      CREATE TABLE user_places (
        quota text NOT NULL, id uuid NOT NULL, user_id uuid NOT NULL, amount bigint NOT NULL,
        taken_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (quota, id));
      CREATE INDEX user_places_of_user ON user_places (user_id, quota);
    `,
  ),
  // Moves the checkpoints of projections on and tells of it, or fails where one is not where the projector believes it to be. What a
  // crash of PostgreSQL takes back is projected again: the read models need not wait for the disk.
  migration(
    3,
    'MoveCheckpoints',
    `
      CREATE FUNCTION move_projection_checkpoints(
        names text[], expected bigint[], versions integer[], up_to bigint, channel text, lowest text)
      RETURNS void LANGUAGE plpgsql AS $$
      DECLARE moved integer;
      BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        UPDATE projection_checkpoints AS c SET position = up_to, updated_at = now()
        FROM unnest(names, expected, versions) AS e (name, expected, version)
        WHERE c.name = e.name AND c.position = e.expected AND c.version = e.version;
        GET DIAGNOSTICS moved = ROW_COUNT;
        IF moved <> cardinality(names) THEN
          RAISE 'the checkpoints are not where they were left' USING ERRCODE = '${overtakenCode}';
        END IF;
        PERFORM pg_notify(channel, lowest);
      END $$;
    `,
  ),
  // What each process leads, as it says with its heartbeats.
  migration(4, 'TellLeads', `ALTER TABLE processes ADD COLUMN leads text[] NOT NULL DEFAULT '{}'`),
];
