import { TookTooLong } from '@app/kernel';
import type { Database } from '../database/database';
import { isFree, parametersOf, type Program } from '../projecting/followed-tables';
import { lockTables, removalOf, retire } from '../tables/table-making';
import { type Statement, executeOf } from '../postgres/statement';

/** A backup may read a table for long; builds must not wait for its removal. */
const brief: Statement = { text: `SET LOCAL lock_timeout = '200ms'`, values: [] };

/**
 * Removes the tables whose retention has ended, and those that were given up. Tables of other versions that no program follows any more,
 * and for which this program has its own, are kept for an hour from now on.
 * @param onHeld receives the name of a table that another session holds: it is left for the next call
 */
export async function removeTables(
  database: Database,
  program: Program,
  onHeld: (table: string) => void,
): Promise<void> {
  await database.query(
    `UPDATE read_model_tables AS t SET state = 'kept', kept_until = now() + interval '1 hour'
     FROM unnest($2::text[], $3::integer[]) AS own (projection, version)
     JOIN read_model_tables AS l ON l.projection = own.projection AND l.version = own.version AND l.state = 'live'
     WHERE t.projection = own.projection AND t.version <> own.version AND t.state IN ('ready', 'live')
       AND t.follower IS DISTINCT FROM $1 AND ${isFree}`,
    parametersOf(program),
  );
  const removable = await database.query<{ name: string; projection: string; state: string }>(
    `SELECT table_name AS name, projection, state FROM read_model_tables
     WHERE state = 'retired' OR (state = 'kept' AND kept_until < now())`,
  );
  for (const { name, projection, state } of removable) {
    if (state === 'kept' && !(await retireKept(database, name))) continue;
    // In a separate transaction: the projector may be writing to the table, and then waits for rows of `read_model_tables`.
    const removal = database.all([brief, ...removalOf(name, name === projection)]);
    await removal.catch((error: unknown) => {
      if (!(error instanceof TookTooLong)) throw error;
      onHeld(name);
    });
  }
}

/** Returns false if it was rolled back to in the meantime. */
async function retireKept(database: Database, name: string): Promise<boolean> {
  return database.transaction(async (manager) => {
    const execute = executeOf(manager);
    await lockTables(execute);
    const [kept] = await execute(`SELECT 1 FROM read_model_tables WHERE table_name = $1 AND state = 'kept'`, [name]);
    if (kept !== undefined) await retire(execute, name);
    return kept !== undefined;
  });
}
