import type { EventBatch, EventStore } from '@app/event-store';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './database';
import type { FollowedTable } from './followed-tables';
import { tablesChannel } from './live-tables';
import { categoriesOf } from './projection';
import type { Lag } from './projection-lag';
import type { TablePlaces } from './table-places';

const usualRetryEveryMs = 5_000;
/** Events that one step of a table takes, once it has got past the event at which it stood. */
const stepEvents = 500;
/** A partition that another process holds has caught up too if it moved so lately. */
const caughtUpWithin = '30 seconds';

/** The part of `TableMover` that moves a table by itself. */
interface Mover {
  readonly stalledTables: readonly FollowedTable[];
  readonly places: Pick<TablePlaces, 'positionOf'>;
  /** When the event was made at which it stands still; undefined before it was tried here. */
  readonly stalledSinceMs: ReadonlyMap<string, number>;
  /** Answers whether the table took all of the batch; otherwise it has stalled again. Throws Unavailable, and where it was moved by others. */
  moveStalled(table: FollowedTable, batch: EventBatch): Promise<boolean>;
}

/**
 * Tries stalled tables again every few seconds, since the reason may be gone: a lock, a trigger, a missing right, a full disk. Each
 * catches up by itself, so that the others never wait for it, and is followed with them again from then on.
 */
export class StalledTables {
  /** When each was first seen here. */
  private sinceMs: ReadonlyMap<string, number> = new Map();

  constructor(
    private readonly database: Database,
    private readonly store: EventStore,
    private readonly mover: Mover,
    private readonly retryEveryMs = usualRetryEveryMs,
  ) {}

  /** How far the read models of stalled tables are behind, by name. @param end position of the newest event that is known */
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

  /** Resolves when the signal aborts. @param onFailure gets what kept a table from being tried at all */
  async keepTrying(signal: AbortSignal, onFailure: (error: unknown) => void): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.retryEveryMs, undefined, { signal }).catch(() => undefined); // aborted: the loop ends
      this.lags(0); // notes since when
      for (const { table } of this.mover.stalledTables)
        await this.retry(table, signal).catch((error: unknown) => !signal.aborted && onFailure(error));
    }
  }

  private async retry(name: string, signal: AbortSignal): Promise<void> {
    for (let count = 1; !signal.aborted; count = stepEvents) {
      const table = this.mover.stalledTables.find((one) => one.table === name);
      if (table === undefined) return; // passed over, rebuilt, or retried by another process
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
