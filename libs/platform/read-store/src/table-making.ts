import { DatabaseError } from 'pg';
import type { EntityManager } from 'typeorm';
import type { Statement } from './database';
import { primaryOf, type ReadModel } from './projection-batch';

/** Runs one statement. */
export type Execute = <Row = unknown>(sql: string, parameters?: readonly unknown[]) => Promise<Row[]>;

/**
 * Makes a table with the columns and the key of a read model's first one, which migrations have brought to the present version; its
 * other indexes come once it is filled. Nothing happens where it is there.
 */
export async function makeTable(execute: Execute, { metadata, table }: ReadModel): Promise<void> {
  const key = primaryOf(metadata).databaseName;
  await execute(
    `CREATE TABLE IF NOT EXISTS "${table}" (LIKE "${metadata.tableName}" INCLUDING DEFAULTS, PRIMARY KEY ("${key}"))`,
  );
}

/** Makes the indexes that the first table has and this one lacks. */
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

/** Makes this transaction the only one that changes which tables there are or where they stand; it must have done nothing before. */
export async function lockTables(execute: Execute): Promise<void> {
  await execute('LOCK TABLE read_model_tables, read_model_places IN SHARE ROW EXCLUSIVE MODE');
}

/** Notes a table of a read model, in which nothing is yet. */
export async function addTable(
  execute: Execute,
  {
    table,
    name,
    version,
    state,
  }: {
    readonly table: string;
    /** Of its projection. */
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

/** Nobody reads a table any more, and nobody follows it: it can be removed. */
export async function retire(execute: Execute, table: string): Promise<void> {
  await execute(`UPDATE read_model_tables SET state = 'retired', follower = NULL WHERE table_name = $1`, [table]);
}

/** Runs statements in a transaction. */
export function executeOf(manager: EntityManager): Execute {
  return async <Row>(sql: string, parameters: readonly unknown[] = []) => {
    const found: unknown = await manager.query(sql, [...parameters]);
    // TypeORM answers rows, and pairs of rows and their number for UPDATE and DELETE.
    const isPair = Array.isArray(found) && Array.isArray(found[0]) && typeof found[1] === 'number';
    // Reason for the assertion: the caller names the columns that its statement answers.
    return (isPair ? found[0] : found) as Row[];
  };
}

/**
 * Whether PostgreSQL refuses for what a row holds (data, integrity, limits), or for how a table is (a column, a right or the table itself
 * is missing, a trigger raises): it will do so again, and no other table is concerned.
 */
export function refusesTable(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && /^(22|23|42|54|P0)/.test(error.code ?? '');
}

/** What removes a table that nobody reads and nobody fills any more. The first one stays, empty: it is what others are made like. */
export function removalOf(table: string, isFirst: boolean): Statement[] {
  return [
    { text: isFirst ? `TRUNCATE "${table}"` : `DROP TABLE IF EXISTS "${table}"`, values: [] },
    { text: 'DELETE FROM list_counters WHERE projection = $1', values: [table] },
    { text: 'DELETE FROM read_model_places WHERE table_name = $1', values: [table] },
    { text: 'DELETE FROM read_model_tables WHERE table_name = $1', values: [table] },
  ];
}
