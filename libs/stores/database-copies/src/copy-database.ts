import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { rowsPassing } from './rows-passing';
import { CannotCopy, connect } from './connection';
import { columnListOf, contentOf, countRowsOf, definitionOf, tablesOf } from './tables';

/** One table's copy. */
export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
}

/**
 * Copies every row of the product's database into another one that has the tables which migrations make, and no events yet: all in one
 * transaction there, from one snapshot here, so that a copy that is cut off leaves nothing. Each table is compared at the end.
 * @throws CannotCopy when the target is in use, or does not hold the same rows at the end
 */
export async function copyDatabase(
  sourceUrl: string,
  targetUrl: string,
  onDone: (rows: number) => void,
): Promise<readonly CopiedTable[]> {
  const source = await connect(sourceUrl);
  const target = await connect(targetUrl).catch(async (error: unknown) => {
    await source.end();
    throw error;
  });
  try {
    await source.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await target.query('BEGIN');
    const tables = await tablesOf(source);
    await emptyTables(target, tables, (table) => definitionOf(source, table));
    const copied: CopiedTable[] = [];
    let done = 0;
    for (const table of tables) {
      const rows = await copyTable(source, target, table, (some) => onDone((done += some)));
      if ((await contentOf(source, table)) !== (await contentOf(target, table)))
        throw new CannotCopy(`table ${table} does not hold the same rows in the target`);
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
  const client = await connect(url);
  try {
    return await countRowsOf(client, await tablesOf(client));
  } finally {
    await client.end();
  }
}

/**
 * Sees to it that the target has these tables, without rows: what no migration made, such as a read model that was built again, is made.
 * @throws CannotCopy when the target holds events already
 */
export async function emptyTables(
  target: Client,
  tables: readonly string[],
  definition: (table: string) => Promise<readonly string[]>,
): Promise<void> {
  const { rowCount } = await target.query('SELECT 1 FROM event_store.events LIMIT 1');
  if (rowCount !== 0) throw new CannotCopy('the target holds events already: name an empty database');
  const there = new Set(await tablesOf(target));
  for (const table of tables.filter((name) => !there.has(name)))
    for (const statement of await definition(table)) await target.query(statement);
  await target.query(`TRUNCATE ${tables.join(', ')}`);
}

async function copyTable(
  source: Client,
  target: Client,
  table: string,
  onRows: (rows: number) => void,
): Promise<number> {
  const columns = await columnListOf(target, table);
  const reading = source.query(copyTo(`COPY ${table} (${columns}) TO STDOUT`));
  const writing = target.query(copyFrom(`COPY ${table} (${columns}) FROM STDIN`));
  await pipeline(reading, rowsPassing(onRows), writing);
  return writing.rowCount;
}
