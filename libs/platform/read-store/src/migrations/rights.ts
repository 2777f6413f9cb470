import type { Database } from '../database/database';
import { UnfitDatabase } from '../postgres/check-database';

interface Rights {
  readonly role: string;
  readonly database: string;
  /** Null if no schema of the role's search_path exists and is usable. */
  readonly schema: string | null;
  readonly creates: boolean;
}

/**
 * Checks that the role may do the work ahead: create tables, or read and write every table of this version. A role that may not create any
 * is sufficient if all of them exist.
 * @throws UnfitDatabase that states the missing grant
 */
export async function refuseMissingRights(database: Database, ahead: 'to create' | 'to use'): Promise<void> {
  const [rights] = await database.query<Rights>(
    `SELECT quote_ident(current_user) AS role, quote_ident(current_database()) AS database,
       quote_ident(current_schema()) AS schema, coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS creates`,
  );
  if (rights === undefined) return;
  const { role, schema } = rights;
  if (schema === null)
    throw new UnfitDatabase(
      `the role ${role} has no schema of its own to use in the database ${rights.database}: CREATE SCHEMA … AUTHORIZATION ${role}`,
    );
  if (ahead === 'to create') {
    if (rights.creates) return;
    throw new UnfitDatabase(
      `this version has tables to create, and the role ${role} may not: GRANT CREATE ON SCHEMA ${schema} TO ${role}`,
    );
  }
  const closed = await closedTables(database);
  if (closed.length > 0)
    throw new UnfitDatabase(
      `the role ${role} may not read and write all tables (${closed.slice(0, 3).join(', ')}${closed.length > 3 ? ', …' : ''}): ` +
        `make it their owner, or GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA ${schema} TO ${role}`,
    );
}

/** Tables of this version that the role may not read and write. */
async function closedTables(database: Database): Promise<string[]> {
  const names = ['schema_migrations', ...database.source.entityMetadatas.map(({ tableName }) => tableName)];
  const needed = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE'];
  const rows = await database.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname = ANY($1)
       AND NOT (SELECT bool_and(has_table_privilege(pg_class.oid, needed)) FROM unnest($2::text[]) AS needed)
     ORDER BY 1`,
    [names, needed],
  );
  return rows.map(({ name }) => name);
}
