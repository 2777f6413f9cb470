import { migration } from '../database/migration';

/** Error code for a projector whose tables another one has moved. */
export const overtakenCode = 'PA001';
/** Error code for a projector that does not know all the tables that it should follow. */
export const tablesChangedCode = 'PA002';

export const readStoreMigrations = [
  // The tables of the read store itself.
  // A snapshot's state is `json`, not `jsonb`: it must be read exactly as it was written, including the order of members.
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
  // The troubles that each process reports with its heartbeats.
  migration(1, 'TellTroubles', `ALTER TABLE processes ADD COLUMN troubles text[] NOT NULL DEFAULT '{}'`),
  // Reserved places for things that users are about to create, until a read model counts them.
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
  // Moves the checkpoints of projections and notifies, or fails if one is not where the projector expects it. Writes that a crash of
  // PostgreSQL loses are projected again, so the read models need not wait for the disk.
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
  // The names of what each process leads, reported with its heartbeats.
  migration(4, 'TellLeads', `ALTER TABLE processes ADD COLUMN leads text[] NOT NULL DEFAULT '{}'`),
  // A read model has tables, one for each time that it was built: which one is read, which are followed by which program, and how far each
  // is. `move_read_models` moves tables in the transaction of their rows and notifies. It fails if one is not where the projector expects
  // it, or if the projector should follow others; it checks this last, because adding a table locks the rows of all.
  migration(
    5,
    'KeepReadModelTables',
    `
      CREATE TABLE read_model_tables (
        table_name text PRIMARY KEY, projection text NOT NULL, version integer NOT NULL, state text NOT NULL,
        position bigint NOT NULL DEFAULT 0, follower bigint, stalled jsonb, kept_until timestamptz,
        moved_at timestamptz NOT NULL DEFAULT now());
      CREATE UNIQUE INDEX read_model_tables_live ON read_model_tables (projection, version) WHERE state = 'live';
      INSERT INTO read_model_tables (table_name, projection, version, state, position)
        SELECT name, name, version, 'live', position FROM projection_checkpoints;
      DROP FUNCTION move_projection_checkpoints;
      DROP TABLE projection_checkpoints;

      CREATE FUNCTION move_read_models(
        program bigint, followed text[], tables text[], expected bigint[], up_to bigint, channel text, payload text)
      RETURNS void LANGUAGE plpgsql AS $$
      DECLARE moved integer;
      BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        UPDATE read_model_tables AS t SET position = up_to, moved_at = now()
        FROM unnest(tables, expected) AS e (name, expected)
        WHERE t.table_name = e.name AND t.position = e.expected AND t.follower = program AND t.stalled IS NULL;
        GET DIAGNOSTICS moved = ROW_COUNT;
        IF moved <> cardinality(tables) THEN
          RAISE 'the read models are not where they were left' USING ERRCODE = '${overtakenCode}';
        END IF;
        IF followed <> (SELECT array_agg(table_name ORDER BY table_name COLLATE "C") FROM read_model_tables
                        WHERE follower = program AND stalled IS NULL) THEN
          RAISE 'there are other tables to follow' USING ERRCODE = '${tablesChangedCode}';
        END IF;
        PERFORM pg_notify(channel, payload);
      END $$;
    `,
  ),
  // Every rebuild, the differences between its table and the live one, and the skipped events.
  migration(
    6,
    'KeepRebuilds',
    `
      CREATE TABLE read_model_rebuilds (
        id uuid PRIMARY KEY, projection text NOT NULL, version integer NOT NULL, table_name text NOT NULL UNIQUE,
        of_new_version boolean NOT NULL, state text NOT NULL, reason text NOT NULL, error text,
        started_at timestamptz NOT NULL DEFAULT now(), ended_at timestamptz, target bigint NOT NULL DEFAULT 0,
        events_per_second bigint NOT NULL DEFAULT 0, replaced text, compared_at bigint, missing bigint, extra bigint,
        changed bigint, digest text);
      CREATE UNIQUE INDEX read_model_rebuilds_open ON read_model_rebuilds (projection, version)
        WHERE state IN ('building', 'catching_up', 'comparing', 'ready');
      CREATE TABLE read_model_differences (
        rebuild_id uuid NOT NULL, number bigint NOT NULL, kind text NOT NULL, key text NOT NULL, column_name text NOT NULL,
        live text, rebuilt text, PRIMARY KEY (rebuild_id, number));
      CREATE TABLE skipped_events (
        projection text NOT NULL, stream text NOT NULL, revision bigint NOT NULL, reason text NOT NULL, error text NOT NULL,
        skipped_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (projection, stream, revision));
    `,
  ),
  // Several projectors divide the owners of streams among them, by partitions: a table has a position for each partition. Up to
  // `certain_from`, events may already be in the table, because a different number of partitions put them there. `move_read_models` moves
  // positions as before; a projector that does not know the current number of partitions moves nothing.
  migration(
    7,
    'KeepPlacesOfPartitions',
    `
      CREATE TABLE projector_partitions (program bigint PRIMARY KEY, partitions integer NOT NULL);
      CREATE TABLE read_model_places (
        table_name text NOT NULL, partition integer NOT NULL, partitions integer NOT NULL, position bigint NOT NULL,
        certain_from bigint NOT NULL DEFAULT 0, events_per_second real NOT NULL DEFAULT 0, moved_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (table_name, partition));
      INSERT INTO read_model_places (table_name, partition, partitions, position, moved_at)
        SELECT table_name, 0, 1, position, moved_at FROM read_model_tables;
      ALTER TABLE read_model_tables DROP COLUMN position, DROP COLUMN moved_at;
      CREATE VIEW read_model_positions AS
        SELECT table_name, min(position) AS position, max(position) AS furthest, min(moved_at) AS moved_at,
          coalesce(sum(events_per_second) FILTER (WHERE moved_at > now() - interval '5 seconds'), 0) AS events_per_second
        FROM read_model_places GROUP BY table_name;

      DROP FUNCTION move_read_models;
      CREATE FUNCTION move_read_models(
        program bigint, followed text[], tables text[], of_partitions integer[], of_count integer, expected bigint[],
        rates real[], up_to bigint, channel text, payload text)
      RETURNS void LANGUAGE plpgsql AS $$
      DECLARE moved integer;
      BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        UPDATE read_model_places AS p SET position = up_to, events_per_second = e.rate, moved_at = now()
        FROM unnest(tables, of_partitions, expected, rates) AS e (name, partition, expected, rate)
        WHERE p.table_name = e.name AND p.partition = e.partition AND p.partitions = of_count AND p.position = e.expected;
        GET DIAGNOSTICS moved = ROW_COUNT;
        IF moved <> cardinality(tables) THEN
          RAISE 'the read models are not where they were left' USING ERRCODE = '${overtakenCode}';
        END IF;
        IF followed <> (SELECT array_agg(table_name ORDER BY table_name COLLATE "C") FROM read_model_tables
                        WHERE follower = program AND stalled IS NULL) THEN
          RAISE 'there are other tables to follow' USING ERRCODE = '${tablesChangedCode}';
        END IF;
        PERFORM pg_notify(channel, payload);
      END $$;
    `,
  ),
  // How gentle a rebuild is to requests, and its progress: by how much its distance to the store's end shrinks, and when that was least.
  migration(
    8,
    'KeepPaceOfRebuilds',
    `
      ALTER TABLE read_model_rebuilds
        ADD COLUMN pace text NOT NULL DEFAULT 'gentle', ADD COLUMN approach_per_second real, ADD COLUMN nearest bigint,
        ADD COLUMN nearest_at timestamptz;
    `,
  ),
  // Streams that an administrator of the event store has cut or is about to: up to which position metadata were read, and the findings.
  // Reactions to events wait here while a stream that they need is damaged.
  migration(
    15,
    'WatchStreams',
    `
      CREATE TABLE stream_watch (one boolean PRIMARY KEY DEFAULT true CHECK (one), position bigint NOT NULL);
      CREATE TABLE stream_marks (stream text COLLATE "C" PRIMARY KEY, words text NOT NULL);
      CREATE TABLE postponed_reactions (
        reactor text NOT NULL, stream text COLLATE "C" NOT NULL, revision bigint NOT NULL, damaged text NOT NULL,
        PRIMARY KEY (reactor, stream, revision));
    `,
  ),
  // Keys of persons' words, each wrapped by PARLEY_SECRET_KEY; `wrapped` is null once the key is destroyed. No rebuild touches them.
  migration(
    16,
    'SealingKeys',
    `
      CREATE TABLE sealing_keys (
        key_id text COLLATE "C" PRIMARY KEY, user_id uuid, wrapped bytea, made_at timestamptz NOT NULL DEFAULT now(),
        destroyed_at timestamptz);
      CREATE INDEX sealing_keys_of_user ON sealing_keys (user_id);
    `,
  ),
];
