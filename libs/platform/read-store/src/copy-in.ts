import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { EntityMetadata } from 'typeorm';

/** Rows that are handed to the connection at once. */
const rowsAtOnce = 500;

/** Writes rows into a table that has none of them, by one COPY. The client must not be one of the pool's, whose statements are pipelined. */
export async function copyIn(
  client: Client,
  table: string,
  metadata: EntityMetadata,
  rows: readonly object[],
): Promise<void> {
  const columns = metadata.columns.map(({ databaseName }) => `"${databaseName}"`).join(', ');
  const writing = client.query(copyFrom(`COPY "${table}" (${columns}) FROM STDIN`));
  await pipeline(Readable.from(linesOf(metadata, rows)), writing);
}

function* linesOf(metadata: EntityMetadata, rows: readonly object[]): Generator<string> {
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const some = rows.slice(from, from + rowsAtOnce);
    yield some.map((row) => lineOf(metadata, row)).join('');
  }
}

/** A row as COPY reads it: a line of values, tabs between them. */
function lineOf({ columns }: EntityMetadata, row: object): string {
  const values = columns.map(({ propertyName, type, isArray }) => {
    // Reason for the assertion: a row is read by its entity's own column list, and only JSON columns hold other objects than arrays.
    const value = (row as Record<string, string | number | boolean | unknown[] | null | undefined>)[propertyName];
    if (value === null || value === undefined) return '\\N';
    if (type === 'json' || type === 'jsonb') return escaped(JSON.stringify(value));
    return escaped(isArray && Array.isArray(value) ? arrayOf(value) : String(value));
  });
  return `${values.join('\t')}\n`;
}

/** An array as PostgreSQL reads it. */
function arrayOf(items: readonly unknown[]): string {
  return `{${items.map((item) => `"${String(item).replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(text: string): string {
  return text.replace(/[\\\n\r\t]/g, (character) => escapes[character] ?? character);
}
