import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What each process says of itself with its heartbeats. */
class TellTroubles1700000000001 implements MigrationInterface {
  name = 'TellTroubles1700000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE processes ADD COLUMN troubles text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE processes DROP COLUMN troubles');
  }
}

/** The tables of the read store itself. */
class CreateReadStore1700000000000 implements MigrationInterface {
  name = 'CreateReadStore1700000000000';

  // A snapshot's state is kept as `json`, not `jsonb`: it must come back as it was, the order of its members included.
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE processes, snapshots, list_counters, reactor_checkpoints, projection_checkpoints');
  }
}

/** Oldest first. */
export const readStoreMigrations = [CreateReadStore1700000000000, TellTroubles1700000000001];
