import { setTimeout as sleep } from 'node:timers/promises';
import { readStore } from '@app/composition';
import type { StoredEvent } from '@app/event-store';
import { readStoreMigrations, Database, migrate, type AnyProjection } from '@app/read-store';
import { auditLedger } from './money-audit';
import { createTestDatabase } from '../postgres';
import { applyBatch } from '../read-models';
import { EventLog, readAllEvents } from '../event-log';

/** Longer than the watchdog's period, after which it releases what a crash left behind. */
const stillAfterMs = 30_000;
const askAgainMs = 250;

/** A deployment that is idle: all of its events, and everything that is still held, which must be nothing. */
export interface Settled {
  readonly events: readonly StoredEvent[];
  readonly left: readonly string[];
}

/**
 * Waits until the read models have all events and nothing is held any more: no slot, no reservation, no lease, no
 * operation in flight, and no settlement that was not copied to its conversation. Once nothing has changed for half a
 * minute, it returns what is left.
 */
export async function settled(databaseUrl: string, eventStoreUrl: string): Promise<Settled> {
  const database = await connect(databaseUrl);
  const log = new EventLog(eventStoreUrl);
  try {
    for (let [seen, movedAtMs] = ['', 0]; ;) {
      const events = await log.upToNow();
      const left = await leftOver(database, projectedPosition(events));
      // A release that happened meanwhile was also appended meanwhile.
      const isQuiet = (await log.upToNow()).length === events.length;
      if (isQuiet && left.length === 0) return { events: await readAllEvents(eventStoreUrl), left };
      const checkpoints = await database.query('SELECT sum(position) FROM read_model_places');
      const sees = JSON.stringify([events.length, left, checkpoints]);
      if (sees !== seen) [seen, movedAtMs] = [sees, performance.now()];
      else if (performance.now() - movedAtMs > stillAfterMs) return { events, left };
      await sleep(askAgainMs);
    }
  } finally {
    await database.close();
  }
}

async function leftOver(database: Database, position: number): Promise<string[]> {
  const [row] = await database.query<Record<string, number>>(
    `SELECT (SELECT count(*) FROM execution_slots) AS slots,
            (SELECT count(*) FROM budget_reservations WHERE status = 'open') AS reservations,
            (SELECT count(*) FROM financial_operations WHERE status IN ('submitted', 'unresolved')) AS operations,
            (SELECT count(*) FROM financial_operations AS o WHERE status = 'settled' AND conversation_id IS NOT NULL AND NOT EXISTS
               (SELECT FROM operation_copies WHERE copy_key = o.id || '/settlement.updated')) AS "settlements untold",
            (SELECT count(*) FROM read_model_tables JOIN read_model_positions USING (table_name)
              WHERE state = 'live' AND position < $1) AS "projections behind"`,
    [position],
  );
  return Object.entries(row ?? {}).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []));
}

/** Returns the position of the newest event that some read model handles. */
function projectedPosition(events: readonly StoredEvent[]): number {
  const categories = readStore.projections.flatMap(({ kinds }) => kinds.map(({ category }) => `${category}-`));
  return events.findLast(({ stream }) => categories.some((category) => stream.startsWith(category)))?.position ?? 0;
}

/** Returns everything that is wrong in the books of a deployment's sandbox provider. */
export async function unbalanced(databaseUrl: string): Promise<string[]> {
  const database = await connect(databaseUrl);
  try {
    return await auditLedger((text) => database.query(text));
  } finally {
    await database.close();
  }
}

/**
 * Replays all events into a database of its own, and returns every row in which the read models differ from the
 * replayed ones.
 */
export async function unlikeAReplay(databaseUrl: string, events: readonly StoredEvent[]): Promise<string[]> {
  const fresh = await createTestDatabase();
  const [actual, replayed] = [await connect(databaseUrl), await connect(fresh.url)];
  try {
    await migrate(replayed);
    for (const projection of readStore.projections) {
      await replayed.transaction((manager) => applyBatch(manager, projection, events));
    }
    const unlike: string[] = [];
    for (const projection of readStore.projections) {
      const [is, shouldBe] = [new Set(await rowsOf(actual, projection)), new Set(await rowsOf(replayed, projection))];
      unlike.push(...[...is].filter((row) => !shouldBe.has(row)).map((row) => `${projection.name} has ${row}`));
      unlike.push(...[...shouldBe].filter((row) => !is.has(row)).map((row) => `${projection.name} lacks ${row}`));
    }
    return unlike;
  } finally {
    await Promise.all([actual.close(), replayed.close()]);
    await fresh.drop();
  }
}

/** Returns a read model's rows and counters as text. */
async function rowsOf(database: Database, { row }: AnyProjection): Promise<string[]> {
  const { tableName } = database.source.getMetadata(row);
  const rows = await database.query<{ row: string }>(
    `SELECT to_jsonb(t)::text AS row FROM "${tableName}" AS t
     UNION ALL SELECT 'counter ' || name || ' ' || total FROM list_counters WHERE projection = $1 AND total <> 0`,
    [tableName],
  );
  return rows.map((found) => found.row);
}

async function connect(url: string): Promise<Database> {
  const migrations = [...readStoreMigrations, ...readStore.migrations];
  return Database.connect({ url, poolSize: 2, rows: readStore.rows, migrations });
}
