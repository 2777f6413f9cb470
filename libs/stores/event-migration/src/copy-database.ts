import { Client } from 'pg';
import { CannotMigrate } from './copy-events';

/** Both schemas of the product: its own tables, and those of the embedded event store. */
const schemas = ['public', 'event_store'];
/** What each database has of its own: which migrations made it, and who works on it now. */
const ownTables = ['public.schema_migrations', 'public.processes', 'public.event_store_moves'];
const rowsAtOnce = 200;

/** One table's copy. */
export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
}

/**
 * Copies every row of the product's database into another one that has the same tables and no events yet: all in one transaction
 * there, from one snapshot here, so that a copy that is cut off leaves nothing. Each table is compared at the end.
 * @throws CannotMigrate when the target is in use, lacks a table, or does not hold the same rows at the end
 */
export async function copyDatabase(
  sourceUrl: string,
  targetUrl: string,
  onDone: (rows: number) => void,
): Promise<readonly CopiedTable[]> {
  const [source, target] = [new Client({ connectionString: sourceUrl }), new Client({ connectionString: targetUrl })];
  try {
    await Promise.all([source.connect(), target.connect()]);
    await source.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await target.query('BEGIN');
    const tables = await tablesOf(source);
    await refuseUsed(target, tables);
    await target.query(`TRUNCATE ${tables.join(', ')}`);
    const copied: CopiedTable[] = [];
    let done = 0;
    for (const table of tables) {
      const rows = await copyTable(source, target, table, (some) => onDone((done += some)));
      if ((await contentOf(source, table)) !== (await contentOf(target, table)))
        throw new CannotMigrate(`table ${table} does not hold the same rows in the target`);
      copied.push({ table, rows });
    }
    await target.query('COMMIT');
    return copied;
  } finally {
    await Promise.all([source.end(), target.end()]);
  }
}

/** How many rows there are to copy, over all tables. */
export async function countRows(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows = 0;
    for (const table of await tablesOf(client)) {
      const counted = await client.query<{ count: string }>(`SELECT count(*) FROM ${table}`);
      rows += Number(counted.rows[0]?.count);
    }
    return rows;
  } finally {
    await client.end();
  }
}

async function tablesOf(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = ANY($1) ORDER BY 1`,
    [schemas],
  );
  return rows.map(({ name }) => name).filter((name) => !ownTables.includes(name));
}

async function refuseUsed(target: Client, tables: readonly string[]): Promise<void> {
  const there = new Set(await tablesOf(target));
  const missing = tables.filter((table) => !there.has(table));
  if (missing.length > 0) throw new CannotMigrate(`the target has no ${missing.join(', ')}: another version made it`);
  const { rowCount } = await target.query('SELECT 1 FROM event_store.events LIMIT 1');
  if (rowCount !== 0) throw new CannotMigrate('the target holds events already: name an empty database');
}

/** Rows travel as PostgreSQL spells them, which it reads back unchanged for every type. */
async function copyTable(
  source: Client,
  target: Client,
  table: string,
  onRows: (rows: number) => void,
): Promise<number> {
  const columns = await target.query<{ name: string }>(
    `SELECT quote_ident(attname) AS name FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [table],
  );
  const names = columns.rows.map(({ name }) => name).join(', ');
  await source.query(`DECLARE copying NO SCROLL CURSOR FOR SELECT ROW(${names})::text AS spelled FROM ${table}`);
  let copied = 0;
  for (;;) {
    const { rows } = await source.query<{ spelled: string }>(`FETCH ${rowsAtOnce} FROM copying`);
    if (rows.length === 0) break;
    const spelled = rows.map((row) => row.spelled);
    await target.query(`INSERT INTO ${table} (${names}) SELECT ${names} FROM unnest($1::text[]::${table}[]) AS row`, [
      spelled,
    ]);
    copied += rows.length;
    onRows(rows.length);
  }
  await source.query('CLOSE copying');
  return copied;
}

/** Count and sum of hashes of all rows: the same for the same rows in any order. */
async function contentOf(client: Client, table: string): Promise<string> {
  const { rows } = await client.query<{ content: string }>(
    `SELECT count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) AS content FROM ${table} AS t`,
  );
  return rows[0]?.content ?? '';
}
