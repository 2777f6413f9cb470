import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { rowsPassing } from './rows-passing';
import { CannotCopy, connect } from './connection';
import { emptyKnownTables, refuseStrangeNames, type GivenTable } from './known-tables';
import { columnListOf, contentOf, countRowsOf, tablesOf } from './tables';

/** The outcome of copying one table. */
export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
}

/** The copied tables, and those that were left out. */
export interface CopiedDatabase {
  readonly tables: readonly CopiedTable[];
  /** Tables that this version does not know, which were not copied. */
  readonly leftOut: readonly string[];
}

/** Moves the deployment from one database to the other, so that it is never in both. */
export interface HandOver {
  /** Called when all rows are compared, before the copy is committed; itself committed at once. */
  readonly leave: (source: Client) => Promise<void>;
  /** Called in the transaction that writes the rows. */
  readonly take: (target: Client) => Promise<void>;
}

/**
 * Copies every row of the product's database into another one that has the tables of the migrations, and no events yet: in one transaction
 * there, from one snapshot here, so that an interrupted copy leaves nothing. Each table is compared after copying.
 * @throws CannotCopy when the target is in use, or does not hold the same rows at the end
 */
export async function copyDatabase(
  sourceUrl: string,
  targetUrl: string,
  handOver: HandOver,
  onDone: (rows: number) => void,
): Promise<CopiedDatabase> {
  const source = await connect(sourceUrl);
  const target = await connect(targetUrl).catch(async (error: unknown) => {
    await source.end();
    throw error;
  });
  try {
    await source.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await target.query('BEGIN');
    const given: GivenTable[] = [];
    for (const table of await tablesOf(source)) given.push({ table, columns: await columnListOf(source, table) });
    const known = await emptyKnownTables(target, given);
    const tables: CopiedTable[] = [];
    let done = 0;
    for (const { table } of known) {
      const rows = await copyTable(source, target, table, (some) => onDone((done += some)));
      if ((await contentOf(source, table)) !== (await contentOf(target, table)))
        throw new CannotCopy(`table ${table} does not hold the same rows in the target`);
      tables.push({ table, rows });
    }
    await refuseStrangeNames(target);
    await onConnection(sourceUrl, handOver.leave);
    await handOver.take(target);
    await target.query('COMMIT');
    return {
      tables,
      leftOut: given.map(({ table }) => table).filter((name) => !known.some(({ table }) => table === name)),
    };
  } finally {
    await Promise.all([source.end(), target.end()]);
  }
}

/** Counts the rows to copy, over all tables. */
export async function countRows(url: string): Promise<number> {
  return onConnection(url, async (client) => countRowsOf(client, await tablesOf(client)));
}

async function onConnection<Value>(url: string, body: (client: Client) => Promise<Value>): Promise<Value> {
  const client = await connect(url);
  try {
    return await body(client);
  } finally {
    await client.end();
  }
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
