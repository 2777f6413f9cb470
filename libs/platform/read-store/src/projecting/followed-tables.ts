import type { EntityManager } from 'typeorm';
import { v7 as uuidV7 } from 'uuid';
import type { Database } from '../database/database';
import { tablesChannel } from '../database/live-tables';
import type { AnyProjection } from '../read-models/projection';
import type { ReadModel } from '../read-models/projection-batch';
import { type Partitions, type Places, divide, partitionCount, placesOf } from '../partitions/places';
import { beginRebuild } from '../tables/rebuild';
import { addTable, lockTables, removalOf } from '../tables/table-making';
import { type Execute, executeOf } from '../postgres/statement';

/** The event at which a table is stalled, because it cannot be applied. */
export interface Stall {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly error: string;
}

/** A table of a read model that a projector of this program fills, with its position when it was read. */
export interface FollowedTable extends Omit<ReadModel, 'certainFrom'>, Places {
  /** Why it is left out until an operator skips the event; null while it moves. */
  readonly stalled: Stall | null;
}

/** The projections of a program, and the number that identifies it. */
export interface Program {
  readonly projections: readonly AnyProjection[];
  readonly program: number;
}

/** The number of partitions has changed in the meantime: these partitions no longer exist. */
class PartitionsChanged extends Error {}

const otherPartitions = 'there are other partitions now';

/**
 * Takes over the tables of this program's read models that no other living program follows, so that one program fills each, and returns the
 * tables that this program follows. A read model without a table of this version gets one: its first table if that is unused, otherwise one
 * that is built while the others are read. Throws Unavailable, and PartitionsChanged.
 * @param partitions the partitions whose positions are returned
 * @param retries whether stalled tables are tried again
 */
export async function followTables(
  database: Database,
  { projections, program }: Program,
  partitions: Partitions,
  retries: boolean,
): Promise<readonly FollowedTable[]> {
  return database.transaction(async (manager) => {
    const execute = executeOf(manager);
    await lockTables(execute);
    if ((await partitionCount(execute, program)) !== partitions.count) throw new PartitionsChanged(otherPartitions);
    const all = await execute<Known>('SELECT table_name AS name, projection, version, state FROM read_model_tables');
    for (const projection of projections) await haveTable(execute, readModelOf(database, projection), all);
    const taken = await execute(
      `UPDATE read_model_tables AS t SET follower = $1 FROM ${own} AND t.follower IS DISTINCT FROM $1 AND ${isFree} RETURNING 1`,
      parametersOf({ projections, program }),
    );
    if (taken.length > 0) {
      await divide(execute, program);
      await execute('SELECT pg_notify($1, $2)', [tablesChannel, '']);
    }
    if (retries)
      await execute('UPDATE read_model_tables SET stalled = NULL WHERE follower = $1 AND stalled IS NOT NULL', [
        program,
      ]);
    const skipped = await skippedEvents(execute);
    const places = await placesOf(execute, program, partitions);
    const rows = await execute<{ name: string; projection: string; stalled: Stall | null }>(
      `SELECT table_name AS name, projection, stalled FROM read_model_tables
       WHERE follower = $1 ORDER BY table_name COLLATE "C"`,
      [program],
    );
    return rows.flatMap(({ name, projection: named, stalled }) => {
      const projection = projections.find((one) => one.name === named);
      if (projection === undefined) return [];
      const of = places.get(name);
      if (of?.positions.size !== partitions.held.length) throw new PartitionsChanged(otherPartitions);
      return [{ ...readModelOf(database, projection, name), ...of, skipped: skipped.get(named), stalled }];
    });
  });
}

/** Names of the tables that this program should follow now, as `followTables` would find them. */
export async function tablesToFollow(database: Database, program: Program): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `SELECT t.table_name AS name FROM read_model_tables AS t, ${own} AND t.stalled IS NULL AND (t.follower = $1 OR ${isFree})
     ORDER BY t.table_name COLLATE "C"`,
    parametersOf(program),
  );
  return rows.map(({ name }) => name);
}

/** Records that a table is stalled, so that every projector of the program leaves it out. Throws Unavailable. */
export async function recordStall(
  database: Database,
  { program }: Program,
  table: string,
  stalled: Stall,
): Promise<void> {
  await database.query(
    `WITH stalled AS (UPDATE read_model_tables SET stalled = $2 WHERE table_name = $1 AND follower = $3 RETURNING 1)
     SELECT pg_notify('${tablesChannel}', '') FROM stalled`,
    [table, JSON.stringify(stalled), program],
  );
}

/** The event that a table cannot apply; null if it moves or does not exist. */
export async function stallOf(execute: Execute, table: string): Promise<Stall | null> {
  const [row] = await execute<{ stalled: Stall | null }>(
    'SELECT stalled FROM read_model_tables WHERE table_name = $1',
    [table],
  );
  return row?.stalled ?? null;
}

/** Events that projections skip, as `<stream> <revision>`. */
export async function skippedEvents(execute: Execute): Promise<Map<string, ReadonlySet<string>>> {
  const rows = await execute<{ projection: string; events: string[] }>(
    `SELECT projection, array_agg(stream || ' ' || revision) AS events FROM skipped_events GROUP BY projection`,
  );
  return new Map(rows.map(({ projection, events }) => [projection, new Set(events)]));
}

/** A projection with one of its tables; the first one if none is named. */
export function readModelOf(database: Database, projection: AnyProjection, table?: string): ReadModel {
  const metadata = database.source.getMetadata(projection.row);
  return { projection, metadata, table: table ?? metadata.tableName };
}

/** Empties every read model, so that all are filled again from the beginning. To be called only while nothing runs on the database. */
export async function forgetReadModels(manager: EntityManager): Promise<void> {
  const execute = executeOf(manager);
  const rows = await execute<{ name: string; projection: string }>(
    'SELECT table_name AS name, projection FROM read_model_tables',
  );
  for (const { name, projection } of rows)
    for (const { text, values } of removalOf(name, name === projection)) await execute(text, values);
  await execute(`UPDATE read_model_rebuilds SET state = 'discarded', ended_at = now() WHERE ended_at IS NULL`);
}

/** Tables of this program's versions that are being filled. */
const own = `unnest($2::text[], $3::integer[]) AS own (projection, version)
  WHERE t.projection = own.projection AND t.version = own.version AND t.state IN ('ready', 'live', 'kept')`;

/** Whether the program that followed a table `t` is gone; its projector then holds no lock any more. */
export const isFree = `NOT EXISTS (
  SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (classid::int8 << 32) + objid::int8 = t.follower)`;

export function parametersOf({ projections, program }: Program): unknown[] {
  return [program, projections.map(({ name }) => name), projections.map(({ version }) => version)];
}

interface Known {
  readonly name: string;
  readonly projection: string;
  readonly version: number;
  readonly state: string;
}

async function haveTable(execute: Execute, { projection, table }: ReadModel, all: readonly Known[]): Promise<void> {
  const { name, version } = projection;
  const tables = all.filter((one) => one.projection === name);
  const ofVersion = tables.filter((one) => one.version === version);
  if (ofVersion.some(({ state }) => state === 'live' || state === 'building')) return;
  const kept = ofVersion.find(({ state }) => state === 'kept');
  // The previous program is back: it continues with its own table.
  if (kept !== undefined)
    return void (await execute(`UPDATE read_model_tables SET state = 'live', kept_until = NULL WHERE table_name = $1`, [
      kept.name,
    ]));
  const [row] = await execute(`SELECT 1 FROM "${table}" LIMIT 1`);
  if (tables.length > 0 || row !== undefined) {
    const reason = `version ${version} of the program's projection`;
    return beginRebuild(execute, { id: uuidV7(), projection, reason, pace: 'gentle', isOfNewVersion: true });
  }
  await addTable(execute, { table, name, version, state: 'live' });
}
