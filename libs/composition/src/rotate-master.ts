import type { Database } from '@app/read-store';
import { Sealing, type SealedRow, type SealedTable } from '@app/runtime';
import type { Configuration } from '@app/settings';
import { sealedTables, sealingCheckTable } from './sealed-tables';
import { keepSeed } from './sealing-check';

const batchSize = 500;
/** The first round seals again, the next ones verify, and seal what was locked, or was sealed meanwhile by a process with another list. */
const roundsMax = 6;

/** The values of one table, by the entry of the secret key that opens them. */
export interface SealedCounts {
  readonly table: string;
  readonly values: number;
  /** Those that need an entry other than the newest. */
  readonly older: number;
  /** Those that no entry opens. */
  readonly closed: number;
}

interface Value {
  readonly key: string;
  readonly sealed: Buffer;
  readonly row: SealedRow;
}

/** Takes the count of values that are done in a table, of its total. */
export type OnSealed = (done: number, total: number) => void;

/**
 * Seals every value again under the newest entry of the secret key, while the service runs: a value that was changed or deleted meanwhile
 * is left as it is. It may be killed at any time; run again, it goes on. Throws Unavailable.
 * @param progressOf called for each table of each round, the first of which is 1
 * @returns the counts of each table as the last round found them
 */
export async function rotateMaster(
  database: Database,
  configuration: Configuration,
  progressOf: (table: string, round: number) => OnSealed,
): Promise<readonly SealedCounts[]> {
  await keepSeed(database, configuration);
  for (let round = 1; ; round += 1) {
    const counts: SealedCounts[] = [];
    let found = 0;
    for (const table of sealedTables) {
      // The check is what refuses a start without the older entries: it stays under one of them until no other value needs it.
      const seals = table !== sealingCheckTable || counts.every(isUnderNewest);
      const count = await walk(database, configuration, table, { seals, onDone: progressOf(table.table, round) });
      if (seals) found += count.older;
      counts.push(count);
    }
    if (found === 0 || round === roundsMax) return counts;
  }
}

/** Counts the values of each table, and changes nothing. Throws Unavailable. */
export async function countSealed(database: Database, configuration: Configuration): Promise<readonly SealedCounts[]> {
  const counts: SealedCounts[] = [];
  for (const table of sealedTables)
    counts.push(await walk(database, configuration, table, { seals: false, onDone: () => undefined }));
  return counts;
}

function isUnderNewest({ older, closed }: SealedCounts): boolean {
  return older === 0 && closed === 0;
}

interface Walk {
  /** Whether to seal what needs an older entry again. */
  readonly seals: boolean;
  readonly onDone: OnSealed;
}

/** Opens every value of a table, in batches by its key. @returns the counts before the values were sealed again */
async function walk(
  database: Database,
  configuration: Configuration,
  table: SealedTable,
  { seals, onDone }: Walk,
): Promise<SealedCounts> {
  const sealing = new Sealing(configuration, table.label);
  const total = await countValues(database, table);
  let [values, older, closed] = [0, 0, 0];
  for (let batch = await batchAfter(database, table, null); batch.length > 0;) {
    const opened = batch.map((value) => sealing.openWithEntry(value.sealed, table.boundTo(value.row)));
    const stale = batch.flatMap((value, at) => {
      const plain = (opened[at]?.entry ?? 0) > 0 ? opened[at]?.plain : undefined;
      return plain === undefined ? [] : [{ ...value, plain }];
    });
    if (seals)
      await replace(
        database,
        table,
        stale.map(({ key, sealed, row, plain }) => ({ key, sealed, again: sealing.seal(plain, table.boundTo(row)) })),
      );
    values += batch.length;
    older += stale.length;
    closed += opened.filter((one) => one === null).length;
    onDone(values, Math.max(values, total));
    batch = await batchAfter(database, table, batch.at(-1)?.key ?? null);
  }
  // Values that were deleted meanwhile are not counted, and the end is the end.
  onDone(values, values);
  return { table: table.table, values, older, closed };
}

async function countValues(database: Database, { table, value }: SealedTable): Promise<number> {
  const [row] = await database.query<{ total: number }>(
    `SELECT count(*)::integer AS total FROM ${table} WHERE ${value} IS NOT NULL`,
  );
  return row?.total ?? 0;
}

async function batchAfter(
  database: Database,
  { table, key, keyType, value }: SealedTable,
  after: string | null,
): Promise<readonly Value[]> {
  return database.query<Value>(
    `SELECT ${key}::text AS key, ${value} AS sealed, to_jsonb(t) - '${value}' AS row FROM ${table} AS t
     WHERE ${value} IS NOT NULL ${after === null ? '' : `AND ${key} > $1::text::${keyType}`}
     ORDER BY t.${key} LIMIT ${batchSize}`,
    after === null ? [] : [after],
  );
}

interface Replacement {
  readonly key: string;
  readonly sealed: Buffer;
  readonly again: Buffer;
}

/** Replaces values that are still the same. It waits for no lock, so that it can be part of no deadlock: the next round takes what is locked. */
async function replace(
  database: Database,
  { table, key, keyType, value }: SealedTable,
  values: readonly Replacement[],
): Promise<void> {
  if (values.length === 0) return;
  await database.query(
    `WITH free AS (
       SELECT ${key} AS key FROM ${table} WHERE ${key} = ANY($1::text[]::${keyType}[]) FOR UPDATE SKIP LOCKED)
     UPDATE ${table} AS t SET ${value} = given.again
     FROM free JOIN unnest($1::text[]::${keyType}[], $2::bytea[], $3::bytea[]) AS given (key, sealed, again) USING (key)
     WHERE t.${key} = free.key AND t.${value} = given.sealed`,
    [values.map((one) => one.key), values.map((one) => one.sealed), values.map((one) => one.again)],
  );
}
