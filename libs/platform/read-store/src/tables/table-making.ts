import { DatabaseError } from 'pg';
import type { Execute, Statement } from '../postgres/statement';
import { primaryOf, type ReadModel } from '../read-models/projection-batch';

/**
 * Creates a table with the columns and the key of a read model's first one, which migrations have brought to the present version; its other
 * indexes are created once it is filled. Does nothing if the table exists.
 */
export async function makeTable(execute: Execute, { metadata, table }: ReadModel): Promise<void> {
  const key = primaryOf(metadata).databaseName;
  await execute(
    `CREATE TABLE IF NOT EXISTS "${table}" (LIKE "${metadata.tableName}" INCLUDING DEFAULTS, PRIMARY KEY ("${key}"))`,
  );
}

/** Creates the indexes that the first table has and this one lacks. */
export async function makeIndexes(
  execute: Execute,
  { metadata: { tableName: first }, table }: ReadModel,
): Promise<void> {
  const rows = await execute<{ name: string; definition: string }>(
    `SELECT relname AS name, pg_get_indexdef(indexrelid) AS definition
     FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE indrelid = $1::regclass AND NOT indisprimary`,
    [`"${first}"`],
  );
  for (const { name, definition } of rows) {
    const made = `${name}${table.slice(first.length)}`;
    // `CREATE INDEX runs_newest_first ON public.runs USING btree (…)`
    const as = definition.slice(definition.indexOf(' USING '));
    const unique = definition.startsWith('CREATE UNIQUE') ? 'UNIQUE ' : '';
    await execute(`CREATE ${unique}INDEX IF NOT EXISTS "${made}" ON "${table}"${as}`);
  }
  await execute(`ANALYZE "${table}"`);
}

/** Makes this transaction the only one that changes which tables exist or their positions; it must have done nothing before. */
export async function lockTables(execute: Execute): Promise<void> {
  await execute('LOCK TABLE read_model_tables, read_model_places IN SHARE ROW EXCLUSIVE MODE');
}

/** Records an empty table of a read model. */
export async function addTable(
  execute: Execute,
  {
    table,
    name,
    version,
    state,
  }: {
    readonly table: string;
    /** Name of its projection. */
    readonly name: string;
    readonly version: number;
    readonly state: 'live' | 'building';
  },
): Promise<void> {
  await execute('INSERT INTO read_model_tables (table_name, projection, version, state) VALUES ($1, $2, $3, $4)', [
    table,
    name,
    version,
    state,
  ]);
  await execute('INSERT INTO read_model_places (table_name, partition, partitions, position) VALUES ($1, 0, 1, 0)', [
    table,
  ]);
}

/** Marks a table that is no longer read or followed for removal. */
export async function retire(execute: Execute, table: string): Promise<void> {
  await execute(`UPDATE read_model_tables SET state = 'retired', follower = NULL WHERE table_name = $1`, [table]);
}

/**
 * Whether PostgreSQL refuses because of a row's content (data, integrity, limits) or because of the table (a column, a right or the table
 * itself is missing, a trigger raises): a retry would fail too, and no other table is concerned.
 */
export function refusesTable(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && /^(22|23|42|54|P0)/.test(error.code ?? '');
}

/** Statements that remove a table which is no longer read or filled. The first table is kept, empty, as the template of others. */
export function removalOf(table: string, isFirst: boolean): Statement[] {
  return [
    { text: isFirst ? `TRUNCATE "${table}"` : `DROP TABLE IF EXISTS "${table}"`, values: [] },
    { text: 'DELETE FROM list_counters WHERE projection = $1', values: [table] },
    { text: 'DELETE FROM read_model_places WHERE table_name = $1', values: [table] },
    { text: 'DELETE FROM read_model_tables WHERE table_name = $1', values: [table] },
  ];
}
