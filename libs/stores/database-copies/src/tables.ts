import type { Client } from 'pg';

/** Both schemas of the product: its own tables, and those of the embedded event store. */
const schemas = ['public', 'event_store'];
/** What each database has of its own: which migrations made it, who works on it now, and where its events went. */
const ownTables = [
  'public.schema_migrations',
  'event_store.schema_version',
  'public.processes',
  'public.event_store_moves',
];

/** The tables whose rows make up a deployment, each as SQL names it, in one order. */
export async function tablesOf(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = ANY($1) ORDER BY 1`,
    [schemas],
  );
  return rows.map(({ name }) => name).filter((name) => !ownTables.includes(name));
}

/** The columns of a table, in its order, as a statement lists them. */
export async function columnListOf(client: Client, table: string): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT quote_ident(attname) AS name FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [table],
  );
  return rows.map(({ name }) => name).join(', ');
}

/** Statements that make the table with its keys, rules and indexes, and no rows. */
export async function definitionOf(client: Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ statement: string }>(
    `SELECT format('CREATE TABLE %s (%s)', $1::text, string_agg(
        concat_ws(' ', quote_ident(attname), format_type(atttypid, atttypmod),
          'DEFAULT ' || pg_get_expr(adbin, adrelid), CASE WHEN attnotnull THEN 'NOT NULL' END), ', ' ORDER BY attnum)) AS statement
     FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped
     UNION ALL
     SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', $1::text, conname, pg_get_constraintdef(oid))
     FROM pg_constraint WHERE conrelid = $1::regclass AND contype IN ('p', 'u', 'c')
     UNION ALL
     SELECT pg_get_indexdef(indexrelid) FROM pg_index
     WHERE indrelid = $1::regclass AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)`,
    [table],
  );
  return rows.map(({ statement }) => statement);
}

/** Count and sum of hashes of all rows: the same for the same rows in any order. */
export async function contentOf(client: Client, table: string): Promise<string> {
  const { rows } = await client.query<{ content: string }>(
    `SELECT count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) AS content FROM ${table} AS t`,
  );
  return rows[0]?.content ?? '';
}

/** How many rows there are, over all of these tables. */
export async function countRowsOf(client: Client, tables: readonly string[]): Promise<number> {
  let total = 0;
  for (const table of tables) {
    const { rows } = await client.query<{ count: string }>(`SELECT count(*) FROM ${table}`);
    total += Number(rows[0]?.count);
  }
  return total;
}
