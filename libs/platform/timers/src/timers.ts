import { Injectable } from '@nestjs/common';
import { epochMsOf, instantOf, type Instant, type JsonObject } from '@app/kernel';
import { Database } from '@app/read-store';

/** Notifies workers that something new is due: the payload is its due time in epoch milliseconds; 0 means "poll now". */
export const timersChannel = 'parley_timers';

export interface Timer {
  /** Identifies the timer; scheduling the same id again moves it. */
  readonly id: string;
  /** Selects the handler. */
  readonly kind: string;
  /** By the service's clock. */
  readonly dueAt: Instant;
  readonly payload: JsonObject;
}

/**
 * Does the due work. It is called at least once, at or after `dueAt` by the service's clock, so it must be idempotent; after a throw it is
 * called again after a pause. It may schedule its own id again.
 */
export type TimerHandler = (timer: Timer) => Promise<void>;

/** Handlers of one kind that run at once in one process, by default. */
const atOnceUsual = 8;

/** Runs a statement: the database, or the transaction that the timer belongs to. */
export interface SqlRunner {
  query(sql: string, parameters: unknown[]): Promise<unknown>;
}

export interface ScheduleOptions {
  /**
   * No worker handles it before this much real time has passed, due or not, because the scheduling process is about to do the work itself.
   */
  readonly restMs?: number;
  /** The database by default, or the transaction that the timer belongs to. */
  readonly runner?: SqlRunner;
}

/** Work that is due later by the service's clock: expiries, schedules, settlements, samples (docs/decisions/sandbox.md, "Clock"). */
@Injectable()
export class Timers {
  readonly handlers = new Map<string, { readonly run: TimerHandler; readonly atOnceMax: number }>();

  constructor(private readonly database: Database) {}

  /**
   * Registers the only handler of a kind, before the worker starts. Throws when the kind has one already.
   * @param atOnceMax handlers of this kind that run at once in one process; a kind with a slow provider leaves room for the others
   */
  handle(kind: string, run: TimerHandler, { atOnceMax = atOnceUsual }: { readonly atOnceMax?: number } = {}): void {
    if (this.handlers.has(kind)) throw new Error(`timers of kind ${kind} have a handler already`);
    this.handlers.set(kind, { run, atOnceMax });
  }

  /**
   * Schedules a timer, or moves the one of that id; scheduling it unchanged does nothing. With a transaction as runner, it is part of it.
   * @throws Unavailable when the runner is the database and does not answer
   */
  async schedule({ id, kind, dueAt, payload }: Timer, options: ScheduleOptions = {}): Promise<void> {
    const { restMs = 0, runner = this.database } = options;
    await runner.query(
      `WITH put AS (
         INSERT INTO timers (id, kind, due_at_ms, payload, retry_at)
         VALUES ($1, $2, $3, $4, CASE WHEN $5::float > 0 THEN now() + $5::float * interval '1 ms' END)
         ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, due_at_ms = excluded.due_at_ms, payload = excluded.payload,
           claimed_by = NULL, failures = 0, retry_at = excluded.retry_at
         WHERE (timers.kind, timers.due_at_ms, timers.payload) <> (excluded.kind, excluded.due_at_ms, excluded.payload)
         RETURNING due_at_ms)
       SELECT pg_notify('${timersChannel}', due_at_ms::text) FROM put WHERE $5::float = 0`,
      [id, kind, epochMsOf(dueAt), JSON.stringify(payload), restMs],
    );
  }

  /** Removes the timer, if there is one. A handler that is already running for it runs to its end. */
  async cancel(id: string, runner: SqlRunner = this.database): Promise<void> {
    await runner.query('DELETE FROM timers WHERE id = $1', [id]);
  }

  /** The earliest due time among the timers that are not handled yet, in the past or in the future. */
  async nextDue(): Promise<Instant | null> {
    const [row] = await this.database.query<{ due: number | null }>('SELECT min(due_at_ms) AS due FROM timers');
    return row?.due == null ? null : instantOf(row.due);
  }
}
