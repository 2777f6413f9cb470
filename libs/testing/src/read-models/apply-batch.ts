import type { StoredEvent } from '@app/event-store';
import { bumpCounters, foldBatch, type AnyProjection, type Database, type KnownRows } from '@app/read-store';

/** What the body of a transaction is given. */
type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0];

/** Applies a batch of events to one read model, as the projector does, inside the caller's transaction. */
export async function applyBatch(
  manager: Transaction,
  projection: AnyProjection,
  events: readonly StoredEvent[],
  known: KnownRows | null = null,
): Promise<void> {
  const readModel = { projection, metadata: manager.connection.getMetadata(projection.row) };
  const { statements, counters, keep } = await foldBatch(
    (sql, parameters) => manager.query(sql, [...parameters]),
    readModel,
    events,
    known,
  );
  for (const { text, values } of [...statements, ...bumpCounters([counters])]) await manager.query(text, [...values]);
  keep();
}
