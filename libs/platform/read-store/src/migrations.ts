import { migration } from './migration';

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
];
