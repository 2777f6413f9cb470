import { quotedExactly } from '@app/kernel';
import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip } from 'node:zlib';
import { DatabaseError, type Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { ifThere, notPartOf } from './backup-files';
import { CannotCopy } from './connection';
import { tablesFolder, type TableInBackup } from './manifest';
import { rowsPassing } from './rows-passing';
import { columnListOf, contentOf } from './tables';

const fileOf = (folder: string, table: string): string => join(folder, tablesFolder, `${table}.copy.gz`);

/** Writes a table's rows, as of the client's snapshot, to its file. @param onRows gets the number of rows of each chunk */
export async function writeTable(
  client: Client,
  table: string,
  folder: string,
  onRows: (rows: number) => void,
): Promise<TableInBackup> {
  return writeRows(client, table, { path: fileOf(folder, table), head: '' }, onRows);
}

/** As `writeTable`, into a file that may begin with a text of its own; `sha256` covers that too. */
export async function writeRows(
  client: Client,
  table: string,
  { path, head }: { readonly path: string; readonly head: string },
  onRows: (rows: number) => void,
): Promise<TableInBackup> {
  const columns = await columnListOf(client, table);
  const hash = createHash('sha256');
  const reading = client.query(copyTo(`COPY ${table} (${columns}) TO STDOUT`));
  await pipeline(
    reading,
    rowsPassing(onRows),
    createGzip({ level: constants.Z_BEST_SPEED }),
    headedBy(head),
    hashedBy(hash),
    createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
  );
  const content = await contentOf(client, table);
  return { table, columns, rows: reading.rowCount, content, sha256: hash.digest('hex') };
}

/** Reads the rows of a table's file into its empty table. @throws CannotCopy when the table then differs from the backed-up one */
export async function readTable(
  client: Client,
  one: TableInBackup,
  folder: string,
  onRows: (rows: number) => void,
): Promise<void> {
  await readRows(client, one, { path: fileOf(folder, one.table), start: 0 }, onRows);
}

/** As `readTable`, from a file whose rows begin at a byte. */
export async function readRows(
  client: Client,
  { table, columns, content }: TableInBackup,
  { path, start }: { readonly path: string; readonly start: number },
  onRows: (rows: number) => void,
): Promise<void> {
  const writing = client.query(copyFrom(`COPY ${table} (${columns}) FROM STDIN`));
  await pipeline(createReadStream(path, { start }), createGunzip(), rowsPassing(onRows), writing).catch(
    (error: NodeJS.ErrnoException) => {
      throw refusalOfRows(table, error);
    },
  );
  if ((await contentOf(client, table)) !== content)
    throw new CannotCopy(`table ${table} does not hold the rows that the backup was taken of`);
}

/** PostgreSQL's classes of errors for values, constraints and column lists that do not fit. Its message holds parts of the row. */
const unfitRows = /^(22|23|42)/;

function refusalOfRows(table: string, error: NodeJS.ErrnoException): Error {
  const isUnfit = error instanceof DatabaseError && unfitRows.test(error.code ?? '');
  if (!isUnfit && !error.code?.startsWith('Z_')) return error;
  const reason = quotedExactly(error.message);
  return new CannotCopy(`the rows of table ${table} cannot be restored (${reason}): take another copy of the backup`, {
    cause: error,
  });
}

/** @throws CannotCopy when a file next to those of these tables is none of a table of the backup */
export async function refuseOtherTables(tables: readonly TableInBackup[], folder: string): Promise<void> {
  const files = new Set(tables.map(({ table }) => basename(fileOf(folder, table))));
  const other = (await ifThere(readdir(join(folder, tablesFolder)))).find((name) => !files.has(name));
  if (other !== undefined) throw notPartOf(join(folder, tablesFolder, other));
}

/** @throws CannotCopy when the table's file is missing or was changed */
export async function checkTable({ table, sha256 }: TableInBackup, folder: string): Promise<void> {
  const file = fileOf(folder, table);
  if ((await hashOf(file)) !== sha256) throw notAsWritten(file);
}

/** Returns the hex hash of a file. @throws CannotCopy when it cannot be read, with the next step */
export async function hashOf(file: string, next = 'take another copy of the backup'): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash).catch((error: NodeJS.ErrnoException) => {
    throw new CannotCopy(
      `${quotedExactly(file, Infinity)} cannot be read (${error.code ?? 'the reason is unknown'}): ${next}`,
      { cause: error },
    );
  });
  return hash.digest('hex');
}

/** The refusal of a file that was changed. */
export function notAsWritten(file: string): CannotCopy {
  return new CannotCopy(`${quotedExactly(file, Infinity)} is not what was written: take another copy of the backup`);
}

function headedBy(head: string) {
  return async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    if (head !== '') yield Buffer.from(head);
    yield* source;
  };
}

function hashedBy(hash: Hash) {
  return async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      hash.update(chunk);
      yield chunk;
    }
  };
}
