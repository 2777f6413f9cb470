import { createHash } from 'node:crypto';
import type { EntityMetadata } from 'typeorm';
import type { BuildingSession } from './building-session';
import { primaryOf } from '../read-models/projection-batch';
import type { Difference, Differences } from '../tables/rebuild';
import type { Execute } from '../postgres/statement';

/** Differences that one FETCH returns, and those that are kept for operators to read. */
const fetchedAtOnce = 1_000;
const keptMax = 10_000;
/** Characters kept of each value; the digest covers the whole value. */
const keptLengthMax = 1_000;

/** How long a table may stay locked before that is reported: other rebuilds wait for this one. */
const lockTimeout = '10s';

type Found = Omit<Difference, 'number'>;

export interface Comparison {
  /** Position of both tables. */
  readonly position: number;
  readonly differences: Differences;
  /** The first differences, at most `keptMax`. */
  readonly first: readonly Found[];
}

/** The tables are at different positions, so they cannot be compared. */
export class NotAtOnePlace extends Error {
  /** @param position the lower one of the two */
  constructor(
    message: string,
    readonly position: number,
  ) {
    super(message);
  }
}

/**
 * Compares two tables of one read model at one position: every column as text, by key, and the kept counters. One snapshot sees both, and
 * nothing waits for it.
 * @param endPosition position of the newest event that concerns them
 * @throws NotAtOnePlace, Unavailable, TookTooLong for a lock, and PostgreSQL's own error when a table cannot be read
 */
export async function compareTables(
  session: BuildingSession,
  metadata: EntityMetadata,
  live: string,
  rebuilt: string,
  endPosition: () => Promise<number>,
): Promise<Comparison> {
  const { execute } = session;
  return session.transaction(async () => {
    await execute(`SET LOCAL lock_timeout = '${lockTimeout}'`);
    const [place] = await execute<{ position: number; isOne: boolean }>(
      `SELECT min(position) AS position, bool_and(is_certain) AND count(DISTINCT places) = 1 AS "isOne" FROM (
         SELECT min(position) AS position, bool_and(position >= certain_from) AS is_certain,
           array_agg(position ORDER BY partition) AS places
         FROM read_model_places WHERE table_name = ANY($1) GROUP BY table_name) AS of`,
      [[live, rebuilt]],
    );
    // Partitions may differ in position by no event: then no later event existed when both tables were read.
    if (place === undefined || (!place.isOne && place.position < (await endPosition())))
      throw new NotAtOnePlace(`${live} and ${rebuilt} are not at one place`, place?.position ?? 0);
    await execute(`DECLARE differing NO SCROLL CURSOR FOR ${differingRows(metadata, live, rebuilt)}`);
    return { position: place.position, ...(await readDifferences(execute)) };
  }, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
}

/** Reads a table as a comparison does, by comparing it with itself. Throws as `compareTables` does. */
export async function readWhole(session: BuildingSession, metadata: EntityMetadata, table: string): Promise<void> {
  await session.transaction(async () => {
    await session.execute(`SET LOCAL lock_timeout = '${lockTimeout}'`);
    await session.execute(`SELECT count(*) FROM (${differingRows(metadata, table, table)}) AS own`);
  }, 'BEGIN READ ONLY');
}

async function readDifferences(execute: Execute): Promise<Pick<Comparison, 'differences' | 'first'>> {
  const digest = createHash('sha256');
  const rows = { missing: 0, extra: 0, changed: 0 };
  const first: Found[] = [];
  let lastKey: string | null = null;
  for (;;) {
    const found = await execute<Found>(`FETCH ${fetchedAtOnce} FROM differing`);
    if (found.length === 0) break;
    for (const { kind, key, column, live, rebuilt } of found) {
      digest.update(`${JSON.stringify([kind, key, column, live, rebuilt])}\n`);
      if (key !== lastKey) rows[kind] += 1;
      lastKey = key;
      if (first.length < keptMax) first.push({ kind, key, column, live: cut(live), rebuilt: cut(rebuilt) });
    }
  }
  return { differences: { ...rows, digest: digest.digest('hex') }, first };
}

const cut = (value: string | null) => value?.slice(0, keptLengthMax) ?? null;

/** SQL for each value that differs: all values of a row that one table lacks. Counters appear under `counter <name>`. */
function differingRows(metadata: EntityMetadata, live: string, rebuilt: string): string {
  const key = primaryOf(metadata).databaseName;
  const names = metadata.columns.map(({ databaseName }) => databaseName);
  const texts = names.map((name, index) => `"${name}"::text AS c${index}`).join(', ');
  const rowsOf = (table: string) => `(SELECT "${key}"::text AS key, ${texts} FROM "${table}")`;
  const pairs = names.map((name, index) => `(${index}, '${name}', l.c${index}, r.c${index})`).join(', ');
  const countersOf = (table: string) =>
    `(SELECT 'counter ' || substr(name, ${table.length + 2}) AS key, total::text AS total
      FROM list_counters WHERE projection = '${table}' AND total <> 0)`;
  const kind = `CASE WHEN l.key IS NULL THEN 'missing' WHEN r.key IS NULL THEN 'extra' ELSE 'changed' END AS kind`;
  return `
    SELECT kind, key, "column", live, rebuilt FROM (
      SELECT ${kind}, coalesce(l.key, r.key) AS key, c.place, c.name AS "column", c.live, c.rebuilt
      FROM ${rowsOf(live)} AS l FULL JOIN ${rowsOf(rebuilt)} AS r ON l.key = r.key
      CROSS JOIN LATERAL (VALUES ${pairs}) AS c (place, name, live, rebuilt)
      WHERE c.live IS DISTINCT FROM c.rebuilt
      UNION ALL
      SELECT ${kind}, coalesce(l.key, r.key), 0, 'total', l.total, r.total
      FROM ${countersOf(live)} AS l FULL JOIN ${countersOf(rebuilt)} AS r ON l.key = r.key
      WHERE l.total IS DISTINCT FROM r.total) AS differing
    ORDER BY key COLLATE "C", place`;
}

/** Ends a rebuild as ready, and records why its table was not compared with the live one. */
export async function keepUncompared(execute: Execute, rebuildId: string, why: string): Promise<void> {
  await execute(`UPDATE read_model_rebuilds SET state = 'ready', error = $2 WHERE id = $1 AND state = 'comparing'`, [
    rebuildId,
    why,
  ]);
}

/** Stores the result of a comparison, which replaces that of an earlier one. */
export async function keepComparison(execute: Execute, rebuildId: string, comparison: Comparison): Promise<void> {
  const { differences, position, first } = comparison;
  await execute('DELETE FROM read_model_differences WHERE rebuild_id = $1', [rebuildId]);
  await execute(
    `INSERT INTO read_model_differences (rebuild_id, number, kind, key, column_name, live, rebuilt)
     SELECT $1, number, d->>'kind', d->>'key', d->>'column', d->>'live', d->>'rebuilt'
     FROM json_array_elements($2::json) WITH ORDINALITY AS found (d, number)`,
    [rebuildId, JSON.stringify(first)],
  );
  const { missing, extra, changed, digest } = differences;
  await execute(
    `UPDATE read_model_rebuilds SET state = 'ready', compared_at = $2, missing = $3, extra = $4, changed = $5, digest = $6
     WHERE id = $1 AND state = 'comparing'`,
    [rebuildId, position, missing, extra, changed, digest],
  );
}
