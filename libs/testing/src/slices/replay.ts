import { decodeOwn, EventStore, type StoredEvent } from '@app/event-store';
import { Database, RowCache, type AnyProjection } from '@app/read-store';
import { applyBatch, emptyReadModel } from '../read-models';
import { readModels, type Replica } from './slices-app';

/** Returns every event of the streams as it is stored, in the order of the store: a projection gets words sealed. */
export async function eventsOf(replica: Replica, streams: readonly string[]): Promise<StoredEvent[]> {
  const store = replica.get(EventStore);
  const events = await Promise.all(streams.map((stream) => store.readStreamRaw(stream, 0, 1_000)));
  return events
    .flat()
    .map(decodeOwn)
    .filter((event) => event !== null)
    .sort((one, other) => one.position - other.position);
}

/** Returns all rows of the table, by primary key. */
export async function rowsOf(replica: Replica, table: string): Promise<Record<string, unknown>[]> {
  return replica.get(Database).query(`SELECT * FROM ${table} ORDER BY 1`);
}

/**
 * Applies events to the read models of the slices once more, and then from nothing, in one batch each time and one
 * event each time, with and without known rows. Throws unless the tables hold exactly these events' rows after each
 * pass.
 */
export async function replay(
  replica: Replica,
  events: readonly StoredEvent[],
  tables: readonly string[],
  projections: readonly AnyProjection[] = readModels.flatMap((model) => model.projections),
): Promise<void> {
  const database = replica.get(Database);
  const look = () => Promise.all(tables.map((table) => rowsOf(replica, table)));
  const before = await look();
  const apply = (batches: readonly (readonly StoredEvent[])[], fromNothing: boolean, known?: RowCache) =>
    database.transaction(async (manager) => {
      for (const projection of projections) {
        if (fromNothing) await emptyReadModel(manager, projection);
        for (const batch of batches) await applyBatch(manager, projection, batch, known);
      }
    });
  await apply([events], false);
  expect(await look()).toEqual(before);
  await apply([events], true);
  expect(await look()).toEqual(before);
  await apply(
    events.flatMap((event) => [[event], [event]]),
    true,
  );
  expect(await look()).toEqual(before);
  for (const batches of [[events], events.map((event) => [event])]) {
    await apply(batches, true, new RowCache());
    expect(await look()).toEqual(before);
  }
}
