import type { Client } from 'pg';
import { quotedExactly } from '@app/kernel';
import { quotedNames } from './backup-files';
import { CannotCopy } from './connection';
import { columnListOf, tablesOf } from './tables';

/** A rebuilt read model has a table of its own, named after its first one: `runs_2`. */
const builtAgain = /^public\.([a-z_]+)_[0-9]{1,9}$/;
/** Columns from which the product reads table names that it puts into statements. */
const namingColumns = [
  ['read_model_tables', 'table_name'],
  ['read_model_tables', 'projection'],
  ['read_model_places', 'table_name'],
  ['read_model_rebuilds', 'table_name'],
  ['read_model_rebuilds', 'projection'],
  ['read_model_rebuilds', 'replaced'],
] as const;
const plainName = /^[a-z_][a-z0-9_]*$/;

/** A table of the deployment that is copied. */
export interface GivenTable {
  /** Its name as in SQL. */
  readonly table: string;
  /** Its columns as a statement lists them. */
  readonly columns: string;
}

/**
 * Empties the tables of the target that rows are copied to. The target has the tables of the migrations; the table of a rebuilt read model
 * is created like its first one. The shape of every table therefore follows from this program, and no statement is taken from the source.
 * @returns the tables that this version knows, in the given order
 * @throws CannotCopy when the target holds events already, or a table has columns that no applied migration makes
 */
export async function emptyKnownTables<Table extends GivenTable>(
  target: Client,
  given: readonly Table[],
): Promise<Table[]> {
  const { rowCount } = await target.query('SELECT 1 FROM event_store.events LIMIT 1');
  if (rowCount !== 0) throw new CannotCopy('the target holds events already: name an empty database');
  const made = new Set(await tablesOf(target));
  const known: Table[] = [];
  for (const one of given) {
    const first = firstTableOf(one.table);
    if (made.has(one.table)) await refuseUnknownColumns(target, one, one.table);
    else if (first !== null && made.has(first)) await makeLike(target, one, first);
    else continue;
    known.push(one);
  }
  if (known.length > 0) await target.query(`TRUNCATE ${known.map(({ table }) => table).join(', ')}`);
  return known;
}

/** Refuses copied rows with other than plain names of tables: statements will contain them. @throws CannotCopy */
export async function refuseStrangeNames(target: Client): Promise<void> {
  const rows: { readonly name: string }[] = [];
  for (const [table, column] of namingColumns) {
    // A backup of an earlier version does not have all of them.
    const { rowCount } = await target.query('SELECT 1 FROM pg_class WHERE oid = to_regclass($1)', [table]);
    if (rowCount === 0) continue;
    const named = `SELECT DISTINCT ${column} AS name FROM ${table} WHERE ${column} IS NOT NULL`;
    rows.push(...(await target.query<{ name: string }>(named)).rows);
  }
  const strange = rows.find(({ name }) => !plainName.test(name));
  if (strange !== undefined)
    throw new CannotCopy(
      `a read model's table has the name ${quotedExactly(strange.name)}: no version of ours gave it`,
    );
}

/** The name of the read model's first table, if the name is that of a rebuilt one. */
export function firstTableOf(table: string): string | null {
  const [, first] = builtAgain.exec(table) ?? [];
  return first === undefined ? null : `public.${first}`;
}

/** Migrations add columns to the first table only, so the rebuilt one may have fewer. */
async function makeLike(target: Client, { table, columns }: GivenTable, first: string): Promise<void> {
  await refuseUnknownColumns(target, { table, columns }, first);
  await target.query(`CREATE TABLE ${table} (LIKE ${first} INCLUDING ALL)`);
  const kept = new Set(columns.split(', '));
  const surplus = (await columnListOf(target, first)).split(', ').filter((column) => !kept.has(column));
  for (const column of surplus) await target.query(`ALTER TABLE ${table} DROP COLUMN ${column}`);
}

async function refuseUnknownColumns(target: Client, { table, columns }: GivenTable, known: string): Promise<void> {
  const there = new Set((await columnListOf(target, known)).split(', '));
  const unknown = columns.split(', ').filter((column) => !there.has(column));
  if (unknown.length > 0)
    throw new CannotCopy(`table ${table} has columns that no applied migration makes (${quotedNames(unknown)})`);
}
