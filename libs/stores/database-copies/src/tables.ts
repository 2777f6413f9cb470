import type { Client } from 'pg';

/** Both schemas of the product: its own tables, and those of the embedded event store. */
const schemas = ['public', 'event_store'];
/** Tables that each database keeps for itself: its migrations, the processes that work on it, and where its events were moved. */
const ownTables = [
  'public.schema_migrations',
  'event_store.schema_version',
  'public.processes',
  'public.event_store_moves',
];

/** Returns the tables whose rows make up a deployment, by their SQL names and in one order. */
export async function tablesOf(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = ANY($1) ORDER BY 1`,
    [schemas],
  );
  return rows.map(({ name }) => name).filter((name) => !ownTables.includes(name));
}

/** Returns the columns of a table, in its order, as a statement lists them. */
export async function columnListOf(client: Client, table: string): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT quote_ident(attname) AS name FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [table],
  );
  return rows.map(({ name }) => name).join(', ');
}

/** Returns count and sum of hashes of all rows: the same for the same rows in any order. */
export async function contentOf(client: Client, table: string): Promise<string> {
  const { rows } = await client.query<{ content: string }>(
    `SELECT count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) AS content FROM ${table} AS t`,
  );
  return rows[0]?.content ?? '';
}

/** Counts the rows of all these tables. */
export async function countRowsOf(client: Client, tables: readonly string[]): Promise<number> {
  let total = 0;
  for (const table of tables) {
    const { rows } = await client.query<{ count: string }>(`SELECT count(*) FROM ${table}`);
    total += Number(rows[0]?.count);
  }
  return total;
}

/** The number of events in a database, and the position of the newest one; 0 when there is none. */
export async function eventsIn(client: Client): Promise<{ readonly events: number; readonly position: number }> {
  const { rows } = await client.query<{ events: string; position: string }>(
    'SELECT count(*) AS events, coalesce(max(global_position), 0) AS position FROM event_store.events',
  );
  return { events: Number(rows[0]?.events ?? 0), position: Number(rows[0]?.position ?? 0) };
}
