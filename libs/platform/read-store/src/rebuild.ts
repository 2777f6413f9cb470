import { tablesChannel } from './live-tables';
import type { AnyProjection } from './projection';
import { addTable, type Execute } from './table-making';

export type RebuildState =
  'building' | 'catching_up' | 'comparing' | 'ready' | 'switched' | 'rolled_back' | 'discarded' | 'failed';

/** How the rebuilt table differs from the live one: rows that only the rebuilt one has, that only the live one has, that both have otherwise. */
export interface Differences {
  readonly missing: number;
  readonly extra: number;
  readonly changed: number;
  /** SHA-256 over all of them, in order: names what an operator has seen. */
  readonly digest: string;
}

export interface Rebuild {
  readonly id: string;
  readonly projection: string;
  readonly version: number;
  readonly table: string;
  readonly state: RebuildState;
  /** Begun by a program whose version of the projection had no table yet. */
  readonly isOfNewVersion: boolean;
  readonly reason: string;
  readonly error: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly position: number;
  /** Position of the store's end when it began, or when it was gone on with last. */
  readonly target: number;
  readonly eventsPerSecond: number;
  readonly etaSeconds: number | null;
  readonly comparedAt: number | null;
  readonly differences: Differences | null;
}

export interface Difference {
  readonly number: number;
  readonly kind: 'missing' | 'extra' | 'changed';
  readonly key: string;
  readonly column: string;
  readonly live: string | null;
  readonly rebuilt: string | null;
}

/** A row as it is selected. */
interface Selected extends Omit<Rebuild, 'differences' | 'etaSeconds' | 'comparedAt'> {
  readonly comparedAt: number | null;
  readonly missing: number | null;
  readonly extra: number | null;
  readonly changed: number | null;
  readonly digest: string | null;
  readonly seconds: number;
}

/** Rebuilds, and where their tables stand. @param where on `r` */
export async function selectRebuilds(
  execute: Execute,
  where: string,
  parameters: readonly unknown[],
): Promise<Rebuild[]> {
  const rows = await execute<Selected>(
    `SELECT r.id, r.projection, r.version, r.table_name AS "table", r.state, r.of_new_version AS "isOfNewVersion", r.reason,
       r.error, r.started_at AS "startedAt", r.ended_at AS "endedAt", coalesce(t.position, 0) AS position, r.target,
       r.events_per_second AS "eventsPerSecond", r.compared_at AS "comparedAt", r.missing, r.extra, r.changed, r.digest,
       extract(epoch FROM now() - r.started_at)::float8 AS seconds
     FROM read_model_rebuilds AS r LEFT JOIN read_model_positions AS t USING (table_name) ${where}`,
    parameters,
  );
  return rows.map(({ missing, extra, changed, digest, seconds, ...rebuild }) => ({
    ...rebuild,
    etaSeconds: etaOf(rebuild, seconds),
    differences: digest === null ? null : { missing: missing ?? 0, extra: extra ?? 0, changed: changed ?? 0, digest },
  }));
}

/** As long as for what it has come through, by positions; null before it has come anywhere, and once the table is built. */
function etaOf(
  { state, position, target }: Pick<Rebuild, 'state' | 'position' | 'target'>,
  seconds: number,
): number | null {
  if (state !== 'building' || position === 0) return null;
  return Math.round((seconds * Math.max(0, target - position)) / position);
}

/** Begins to build a table; the transaction has locked the tables. */
export async function beginRebuild(
  execute: Execute,
  {
    id,
    projection,
    reason,
    isOfNewVersion,
  }: Pick<Rebuild, 'id' | 'reason' | 'isOfNewVersion'> & { projection: AnyProjection },
): Promise<void> {
  const { name, version } = projection;
  // Numbered as long as the deployment lives: no name ever comes to mean another table.
  const [made] = await execute<{ table: string }>(
    `INSERT INTO read_model_rebuilds (id, projection, version, table_name, of_new_version, state, reason)
     SELECT $1, $2, $3, $2 || '_' || (SELECT count(*) + 2 FROM read_model_rebuilds WHERE projection = $2), $4, 'building', $5
     RETURNING table_name AS "table"`,
    [id, name, version, isOfNewVersion, reason],
  );
  if (made === undefined) throw new Error('a rebuild has not been noted');
  await addTable(execute, { table: made.table, name, version, state: 'building' });
}

/** The end of a rebuild, of which every process hears. */
export async function endRebuild(
  execute: Execute,
  id: string,
  state: RebuildState,
  error: string | null = null,
): Promise<void> {
  await execute('UPDATE read_model_rebuilds SET state = $2, ended_at = now(), error = $3 WHERE id = $1', [
    id,
    state,
    error,
  ]);
  await execute('SELECT pg_notify($1, $2)', [tablesChannel, '']);
}
