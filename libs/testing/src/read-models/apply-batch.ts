import type { StoredEvent } from '@app/event-store';
import { bumpCounters, foldBatch, upsertOf, type AnyProjection, type Database, type RowCache } from '@app/read-store';

/** The argument of a transaction's body. */
type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0];

/** Applies a batch of events to one read model, as the projector does, inside the caller's transaction. */
export async function applyBatch(
  manager: Transaction,
  projection: AnyProjection,
  events: readonly StoredEvent[],
  known: RowCache | null = null,
): Promise<void> {
  const metadata = manager.connection.getMetadata(projection.row);
  const readModel = { projection, metadata, table: metadata.tableName };
  const { rows, counters, keep } = await foldBatch(
    (sql, parameters) => manager.query(sql, [...parameters]),
    readModel,
    events,
    known,
  );
  const statements = [...upsertOf(readModel, rows), ...bumpCounters([counters])];
  for (const { text, values } of statements) await manager.query(text, [...values]);
  keep();
}

/** Empties the first table of a read model, and its counters. */
export async function emptyReadModel(manager: Transaction, projection: AnyProjection): Promise<void> {
  const { tableName } = manager.connection.getMetadata(projection.row);
  await manager.query(`TRUNCATE "${tableName}"`);
  await manager.query('DELETE FROM list_counters WHERE projection = $1', [tableName]);
}
