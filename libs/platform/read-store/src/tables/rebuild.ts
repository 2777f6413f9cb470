import { tablesChannel } from '../database/live-tables';
import type { AnyProjection } from '../read-models/projection';
import { addTable } from './table-making';
import type { Execute } from '../postgres/statement';

/** How a rebuild treats the requests that arrive meanwhile: `gentle` pauses for them, `full` never pauses. */
export const rebuildPaces = ['gentle', 'full'] as const;
export type RebuildPace = (typeof rebuildPaces)[number];

export type RebuildState =
  'building' | 'catching_up' | 'comparing' | 'ready' | 'switched' | 'rolled_back' | 'discarded' | 'failed';

/**
 * Differences between the rebuilt table and the live one: rows that only the rebuilt one has, that only the live one has, and that differ.
 */
export interface Differences {
  readonly missing: number;
  readonly extra: number;
  readonly changed: number;
  /** SHA-256 over all of them, in order: identifies what an operator has seen. */
  readonly digest: string;
}

export interface Rebuild {
  readonly id: string;
  readonly projection: string;
  readonly version: number;
  readonly table: string;
  readonly state: RebuildState;
  /** Whether a program began it because its version of the projection had no table yet. */
  readonly isOfNewVersion: boolean;
  readonly reason: string;
  readonly pace: RebuildPace;
  readonly error: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly position: number;
  /** Position of the store's end, as the building process read it last. */
  readonly target: number;
  readonly eventsPerSecond: number;
  /** Null if unknown: before anything was measured, while the distance does not shrink, and once the table is built. */
  readonly etaSeconds: number | null;
  /** False if its distance to the target has not shrunk for half a minute; null unless it is being built. */
  readonly isNearing: boolean | null;
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

/** The result of an operator's call for a read model; a refusal carries a reason of the reasons table, and words for the log. */
export type RebuildOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'refused'; readonly reason: 'projection_state' | 'differences_unseen'; readonly why: string };

/** Longer than writing a batch takes, and than the time until a killed process is replaced. */
const notNearingAfter = '30 seconds';

/** A row as selected. */
interface Selected extends Omit<Rebuild, 'differences' | 'etaSeconds'> {
  readonly missing: number | null;
  readonly extra: number | null;
  readonly changed: number | null;
  readonly digest: string | null;
  readonly approachPerSecond: number | null;
}

/** Rebuilds with the positions of their tables. @param where SQL on `r` */
export async function selectRebuilds(
  execute: Execute,
  where: string,
  parameters: readonly unknown[],
): Promise<Rebuild[]> {
  const rows = await execute<Selected>(
    `SELECT r.id, r.projection, r.version, r.table_name AS "table", r.state, r.of_new_version AS "isOfNewVersion", r.reason, r.pace,
       r.error, r.started_at AS "startedAt", r.ended_at AS "endedAt", coalesce(t.position, 0) AS position, r.target,
       r.events_per_second AS "eventsPerSecond", r.compared_at AS "comparedAt", r.missing, r.extra, r.changed, r.digest,
       r.approach_per_second AS "approachPerSecond",
       CASE r.state WHEN 'building' THEN coalesce(r.nearest_at, r.started_at) > now() - interval '${notNearingAfter}' END AS "isNearing"
     FROM read_model_rebuilds AS r LEFT JOIN read_model_positions AS t USING (table_name) ${where}`,
    parameters,
  );
  return rows.map(({ missing, extra, changed, digest, approachPerSecond, ...rebuild }) => ({
    ...rebuild,
    etaSeconds: etaOf(rebuild, approachPerSecond),
    differences: digest === null ? null : { missing: missing ?? 0, extra: extra ?? 0, changed: changed ?? 0, digest },
  }));
}

/** Estimated from how fast its distance to the head has shrunk lately. */
function etaOf(
  { position, target, isNearing }: Pick<Rebuild, 'position' | 'target' | 'isNearing'>,
  approachPerSecond: number | null,
): number | null {
  if (isNearing !== true || approachPerSecond === null || approachPerSecond <= 0) return null;
  return Math.ceil(Math.max(0, target - position) / approachPerSecond);
}

/** Restarts the measurements of rebuilds that continue from here. */
export async function beginProgress(execute: Execute, ids: readonly string[], target: number): Promise<void> {
  await execute(
    `UPDATE read_model_rebuilds SET target = $2, approach_per_second = NULL, nearest = NULL, nearest_at = now() WHERE id = ANY($1)`,
    [ids, target],
  );
}

/** Records the rate of rebuilds, the store's present end, and when each rebuild was nearest to it. */
export async function reportProgress(
  execute: Execute,
  ids: readonly string[],
  {
    target,
    eventsPerSecond,
    approachPerSecond,
  }: { readonly target: number; readonly eventsPerSecond: number; readonly approachPerSecond: number | null },
): Promise<void> {
  await execute(
    `UPDATE read_model_rebuilds AS r SET target = $2, events_per_second = $3, approach_per_second = $4,
       nearest = least(r.nearest, $2 - p.position),
       nearest_at = CASE WHEN r.nearest IS NULL OR $2 - p.position < r.nearest THEN now() ELSE r.nearest_at END
     FROM read_model_positions AS p WHERE p.table_name = r.table_name AND r.id = ANY($1)`,
    [ids, target, Math.round(eventsPerSecond), approachPerSecond],
  );
}

/** Begins to build a table; the transaction must have locked the tables. */
export async function beginRebuild(
  execute: Execute,
  {
    id,
    projection,
    reason,
    pace,
    isOfNewVersion,
  }: Pick<Rebuild, 'id' | 'reason' | 'pace' | 'isOfNewVersion'> & { projection: AnyProjection },
): Promise<void> {
  const { name, version } = projection;
  // Numbered over the lifetime of the deployment, so that no name is ever used for another table.
  const [made] = await execute<{ table: string }>(
    `INSERT INTO read_model_rebuilds (id, projection, version, table_name, of_new_version, state, reason, pace)
     SELECT $1, $2, $3, $2 || '_' || (SELECT count(*) + 2 FROM read_model_rebuilds WHERE projection = $2), $4, 'building', $5, $6
     RETURNING table_name AS "table"`,
    [id, name, version, isOfNewVersion, reason, pace],
  );
  if (made === undefined) throw new Error('a rebuild has not been noted');
  await addTable(execute, { table: made.table, name, version, state: 'building' });
}

/** Ends a rebuild, and notifies every process. */
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
