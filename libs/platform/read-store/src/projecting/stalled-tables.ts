import type { EventBatch, EventStore } from '@app/event-store';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../database/database';
import type { FollowedTable } from './followed-tables';
import { tablesChannel } from '../database/live-tables';
import { categoriesOf } from '../read-models/projection';
import type { Lag } from './projection-lag';
import type { TablePositions } from './table-positions';

const usualRetryEveryMs = 5_000;
/** Events that a table takes per step, once it has passed the event at which it was stalled. */
const stepEvents = 500;
/** A partition that another process holds also counts as caught up if it has moved within this time. */
const caughtUpWithin = '30 seconds';

/** The part of `TableMover` that moves a single table. */
interface Mover {
  readonly stalledTables: readonly FollowedTable[];
  readonly places: Pick<TablePositions, 'positionOf'>;
  /** When the event was made at which each table is stalled; undefined before this process tried it. */
  readonly stalledSinceMs: ReadonlyMap<string, number>;
  /**
   * Returns whether the table took all of the batch; otherwise it has stalled again. Throws Unavailable, and if others have moved the
   * table.
   */
  moveStalled(table: FollowedTable, batch: EventBatch): Promise<boolean>;
}

/**
 * Retries stalled tables every few seconds, because the cause may be gone: a lock, a trigger, a missing right, a full disk. Each catches up
 * on its own, so that the others never wait for it, and from then on is followed with them again.
 */
export class StalledTables {
  /** When this process first saw each stalled table. */
  private sinceMs: ReadonlyMap<string, number> = new Map();

  constructor(
    private readonly database: Database,
    private readonly store: EventStore,
    private readonly mover: Mover,
    private readonly retryEveryMs = usualRetryEveryMs,
  ) {}

  /** Lags of the stalled read models, by name. @param end position of the newest known event */
  lags(end: number): ReadonlyMap<string, Lag> {
    const nowMs = Date.now();
    const stalled = this.mover.stalledTables;
    this.sinceMs = new Map(stalled.map(({ table }) => [table, this.sinceMs.get(table) ?? nowMs]));
    return new Map(
      stalled.map(({ projection: { name }, table }) => [
        name,
        {
          positions: Math.max(0, end - this.mover.places.positionOf(table)),
          ms: Math.max(0, nowMs - (this.mover.stalledSinceMs.get(table) ?? this.sinceMs.get(table) ?? nowMs)),
        },
      ]),
    );
  }

  /** Resolves when the signal aborts. @param onFailure receives the error that kept a table from being tried at all */
  async keepTrying(signal: AbortSignal, onFailure: (error: unknown) => void): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.retryEveryMs, undefined, { signal }).catch(() => undefined); // aborted: the loop ends
      this.lags(0); // records when each was first seen
      for (const { table } of this.mover.stalledTables)
        await this.retry(table, signal).catch((error: unknown) => !signal.aborted && onFailure(error));
    }
  }

  private async retry(name: string, signal: AbortSignal): Promise<void> {
    for (let count = 1; !signal.aborted; count = stepEvents) {
      const table = this.mover.stalledTables.find((one) => one.table === name);
      if (table === undefined) return; // skipped, rebuilt, or retried by another process
      const categories = categoriesOf([table.projection]);
      const page = await this.store.readCategories(categories, this.mover.places.positionOf(name), count);
      if (!(await this.mover.moveStalled(table, page))) return;
      if (!page.more) return this.free(table);
    }
  }

  private async free({ table }: FollowedTable): Promise<void> {
    await this.database.query(
      `WITH freed AS (
         UPDATE read_model_tables SET stalled = NULL WHERE table_name = $1 AND NOT EXISTS (
           SELECT 1 FROM read_model_places WHERE table_name = $1 AND moved_at < now() - interval '${caughtUpWithin}')
         RETURNING 1)
       SELECT pg_notify('${tablesChannel}', '') FROM freed`,
      [table],
    );
  }
}
