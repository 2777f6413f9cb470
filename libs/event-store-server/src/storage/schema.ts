import type { Queryable } from './queryable';

/** Forward only: a step, once released, never changes. Step n brings the schema from version n to n + 1. */
const STEPS: readonly string[] = [
  `CREATE TABLE event_store.events (
     global_position bigint PRIMARY KEY,
     stream text COLLATE "C" NOT NULL,
     revision bigint NOT NULL,
     event_id uuid NOT NULL,
     type text COLLATE "C" NOT NULL,
     is_json boolean NOT NULL,
     data bytea NOT NULL,
     metadata bytea NOT NULL,
     created_ms bigint NOT NULL,
     UNIQUE (stream, revision)
   )`,
];

/**
 * Brings the schema `event_store` up to date. Called by whoever holds the writer's lock, so never twice at once.
 * Throws when the schema is newer than this code: an older server must not write into it.
 */
export async function migrateSchema(db: Queryable): Promise<void> {
  await db.query('CREATE SCHEMA IF NOT EXISTS event_store');
  await db.query('CREATE TABLE IF NOT EXISTS event_store.schema_version (version integer NOT NULL)');
  const { rows } = await db.query<{ version: number }>('SELECT version FROM event_store.schema_version');
  const current = rows[0]?.version ?? 0;
  if (current > STEPS.length) {
    throw new SchemaTooNewError(`the event store's schema is version ${current}, this server knows ${STEPS.length}`);
  }
  for (const [index, step] of STEPS.entries()) {
    if (index < current) continue;
    // One simple-protocol query is one transaction: the step and its version happen together.
    await db.query(
      `${step}; DELETE FROM event_store.schema_version; INSERT INTO event_store.schema_version VALUES (${index + 1})`,
    );
  }
}

export class SchemaTooNewError extends Error {}
