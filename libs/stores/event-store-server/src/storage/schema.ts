import type { Queryable } from './queryable';

/** Forward only: a step, once released, never changes. Step n upgrades the schema from version n to n + 1. */
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
 * Brings the schema `event_store` up to date. Called only under the writer's lock, so never twice at once.
 * Throws when the schema is newer than this code: an older server must not write into it.
 */
export async function migrateSchema(db: Queryable): Promise<void> {
  await ensureSchema(db);
  const { rows } = await db.query<{ version: number }>('SELECT version FROM event_store.schema_version');
  const current = rows[0]?.version ?? 0;
  if (current > STEPS.length) {
    throw new SchemaTooNewError(`the event store's schema is version ${current}, this server knows ${STEPS.length}`);
  }
  for (const [index, step] of STEPS.entries()) {
    if (index < current) continue;
    // One simple-protocol query is one transaction, so the step and its version are committed together.
    await db.query(
      `${step}; DELETE FROM event_store.schema_version; INSERT INTO event_store.schema_version VALUES (${index + 1})`,
    );
  }
}

/** Checks before it creates, because PostgreSQL refuses `IF NOT EXISTS` to a role that may not create, even when everything exists. */
async function ensureSchema(db: Queryable): Promise<void> {
  const { rows } = await db.query<{ there: boolean; creates: boolean; role: string; database: string }>(
    `SELECT to_regnamespace('event_store') IS NOT NULL AS there, has_database_privilege(current_database(), 'CREATE') AS creates,
       quote_ident(current_user) AS role, quote_ident(current_database()) AS database`,
  );
  const [state] = rows;
  if (state?.there === false && !state.creates)
    throw new MissingRightsError(
      `the role ${state.role} may not create the event store's schema in the database ${state.database}: ` +
        `GRANT CREATE ON DATABASE ${state.database} TO ${state.role}, or CREATE SCHEMA event_store AUTHORIZATION ${state.role}`,
    );
  if (state?.there === false) await db.query('CREATE SCHEMA event_store');
  const table = await db.query<{ there: boolean }>(
    `SELECT to_regclass('event_store.schema_version') IS NOT NULL AS there`,
  );
  if (table.rows[0]?.there === false)
    await db.query('CREATE TABLE event_store.schema_version (version integer NOT NULL)');
}

/** The role lacks a right that the store needs; the message says what to grant. */
export class MissingRightsError extends Error {}

export class SchemaTooNewError extends Error {}
