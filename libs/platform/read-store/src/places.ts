import type { Database, Statement } from './database';
import type { Partitions } from './partition-leases';
import { executeOf, lockTables, type Execute } from './table-making';

/** Where a table stands, for the partitions of one projector. */
export interface Places {
  /** By partition. */
  readonly positions: ReadonlyMap<number, number>;
  /** Events that are not after it may be in the table already. */
  readonly certainFrom: number;
}

/** Into how many partitions the projectors of a program divide the owners of streams. Throws Unavailable. */
export async function partitionCount(execute: Execute, program: number): Promise<number> {
  const [row] = await execute<{ partitions: number }>(
    'SELECT partitions FROM projector_partitions WHERE program = $1',
    [program],
  );
  return row?.partitions ?? 1;
}

/** Divides the owners of streams into so many partitions from now on: projectors that do not know of it can move nothing. Throws Unavailable. */
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
 * Gives each table of a program a place for each partition: all where the one that was furthest behind is, since the owners are divided
 * otherwise now. What is read again from there changes nothing. The transaction has locked the tables.
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

/** Where the tables that a program follows stand, by their names: the places of these partitions only. */
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

/** One partition of a table that moves on. */
interface Move {
  readonly table: string;
  readonly partition: number;
  /** Where the projector left it. */
  readonly position: number;
  /** Events a second, of late. */
  readonly rate: number;
}

/**
 * The statement that moves tables on and notifies a channel, in the transaction of their rows. PostgreSQL refuses it where a table is not
 * where the projector left it, or where the program follows other tables than those named.
 * @param count into how many partitions the owners of streams are divided
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
