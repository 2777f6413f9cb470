import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { EntityMetadata } from 'typeorm';
import type { ChangedRow, ReadModel } from '../read-models/projection-batch';

/** Rows that are written to the connection at once. */
const rowsAtOnce = 500;

/**
 * Writes rows into a table that has none of them, with one COPY. The client must not be one of the pool's, whose statements are pipelined.
 */
export async function copyIn(
  client: Client,
  { table, metadata }: ReadModel,
  rows: readonly Pick<ChangedRow, 'row'>[],
): Promise<void> {
  const columns = metadata.columns.map(({ databaseName }) => `"${databaseName}"`).join(', ');
  const writing = client.query(copyFrom(`COPY "${table}" (${columns}) FROM STDIN`));
  await pipeline(Readable.from(linesOf(metadata, rows)), writing);
}

function* linesOf(metadata: EntityMetadata, rows: readonly Pick<ChangedRow, 'row'>[]): Generator<string> {
  const members = metadata.columns.map(memberOf);
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    let lines = '';
    for (const { row } of rows.slice(from, from + rowsAtOnce)) lines += lineOf(members, row);
    yield lines;
  }
}

type Value = string | number | boolean | object | null | undefined;

interface Member {
  readonly name: string;
  readonly isJson: boolean;
}

function memberOf({ propertyName: name, type }: EntityMetadata['columns'][number]): Member {
  return { name, isJson: type === 'json' || type === 'jsonb' };
}

/** Formats a row for COPY: one line, values separated by tabs. */
function lineOf(members: readonly Member[], row: object): string {
  let line = '';
  let separator = '';
  for (const { name, isJson } of members) {
    // Reason for the assertion: a row is read by its entity's own column list, and only JSON columns and closed words hold other objects than arrays.
    line += separator + textOf((row as Record<string, Value>)[name], isJson);
    separator = '\t';
  }
  return `${line}\n`;
}

function textOf(value: Value, isJson: boolean): string {
  if (value === null || value === undefined) return '\\N';
  if (isJson) return escaped(JSON.stringify(value));
  if (typeof value === 'string') return escaped(value);
  if (Array.isArray(value)) return escaped(arrayOf(value));
  // Words that are closed: their JSON text, as an insert from JSON writes it.
  return typeof value === 'object' ? escaped(JSON.stringify(value)) : String(value);
}

/** An array literal of PostgreSQL. */
function arrayOf(items: readonly unknown[]): string {
  return `{${items.map((item) => `"${String(item).replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(text: string): string {
  return /[\\\n\r\t]/.test(text) ? text.replace(/[\\\n\r\t]/g, (character) => escapes[character] ?? character) : text;
}
