import type { Database } from '../database/database';
import { lockTables } from '../tables/table-making';
import { type Execute, type Statement, executeOf } from '../postgres/statement';

/** The partitions of one projector, in order, out of `count`. */
export interface Partitions {
  readonly count: number;
  readonly held: readonly number[];
}

/** Positions of a table for the partitions of one projector. */
export interface Places {
  /** Position by partition. */
  readonly positions: ReadonlyMap<number, number>;
  /** Events up to this position may already be in the table. */
  readonly certainFrom: number;
}

/** Number of partitions into which the projectors of a program divide the owners of streams. Throws Unavailable. */
export async function partitionCount(execute: Execute, program: number): Promise<number> {
  const [row] = await execute<{ partitions: number }>(
    'SELECT partitions FROM projector_partitions WHERE program = $1',
    [program],
  );
  return row?.partitions ?? 1;
}

/** Sets the number of partitions for owners of streams: projectors that do not know of it can move nothing. Throws Unavailable. */
export async function setPartitionCount(database: Database, program: number, partitions: number): Promise<void> {
  await database.transaction(async (manager) => {
    const execute = executeOf(manager);
    if ((await partitionCount(execute, program)) === partitions) return;
    await lockTables(execute);
    await execute(
      `INSERT INTO projector_partitions (program, partitions) VALUES ($1, $2)
       ON CONFLICT (program) DO UPDATE SET partitions = excluded.partitions`,
      [program, partitions],
    );
    await divide(execute, program);
  });
}

/**
 * Gives each table of a program a position for each partition: that of the slowest previous partition, because the owners are divided
 * differently now. Events that are read again from there change nothing. The transaction must have locked the tables.
 */
export async function divide(execute: Execute, program: number): Promise<void> {
  const partitions = await partitionCount(execute, program);
  await execute(
    `WITH before AS (
       DELETE FROM read_model_places AS p USING read_model_tables AS t
       WHERE t.table_name = p.table_name AND t.follower = $1 AND p.partitions <> $2 RETURNING p.*)
     INSERT INTO read_model_places (table_name, partition, partitions, position, certain_from)
     SELECT table_name, n, $2, min(position), max(greatest(position, certain_from))
     FROM before CROSS JOIN generate_series(0, $2 - 1) AS n GROUP BY table_name, n`,
    [program, partitions],
  );
}

/** Positions of the tables that a program follows, by table name, for these partitions only. */
export async function placesOf(
  execute: Execute,
  program: number,
  { count, held }: Partitions,
): Promise<ReadonlyMap<string, Places>> {
  const rows = await execute<{ name: string; partition: number; position: number; certain: number }>(
    `SELECT p.table_name AS name, p.partition, p.position, p.certain_from AS certain
     FROM read_model_places AS p JOIN read_model_tables AS t USING (table_name)
     WHERE t.follower = $1 AND p.partitions = $2 AND p.partition = ANY($3)`,
    [program, count, held],
  );
  const places = new Map<string, { positions: Map<number, number>; certainFrom: number }>();
  for (const { name, partition, position, certain } of rows) {
    const of = places.get(name) ?? { positions: new Map<number, number>(), certainFrom: 0 };
    places.set(name, of);
    of.positions.set(partition, position);
    of.certainFrom = Math.max(of.certainFrom, certain);
  }
  return places;
}

/** The move of one partition of a table. */
interface Move {
  readonly table: string;
  readonly partition: number;
  /** Position where the projector left it. */
  readonly position: number;
  /** Recent events per second. */
  readonly rate: number;
}

/**
 * Returns the statement that moves tables and notifies a channel, in the transaction of their rows. PostgreSQL refuses it if a table is not
 * where the projector left it, or if the program should follow other tables than those named.
 * @param count number of partitions of the owners of streams
 */
export function moving(
  program: number,
  followed: readonly string[],
  {
    moves,
    count,
    upTo,
    channel,
    payload,
  }: {
    readonly moves: readonly Move[];
    readonly count: number;
    readonly upTo: number;
    readonly channel: string;
    readonly payload: string;
  },
): Statement {
  return {
    text: 'SELECT move_read_models($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
    values: [
      program,
      followed,
      moves.map(({ table }) => table),
      moves.map(({ partition }) => partition),
      count,
      moves.map(({ position }) => position),
      moves.map(({ rate }) => rate),
      upTo,
      channel,
      payload,
    ],
  };
}
