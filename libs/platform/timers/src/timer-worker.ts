import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock, instantOf, type JsonObject, failureWords } from '@app/kernel';
import { Database, Notifications, processGoneMs, Processes, type BackgroundWork } from '@app/read-store';
import { GroupLoader, Metrics, settledWithin } from '@app/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { Histogram } from 'prom-client';
import { Timers, timersChannel, type Timer } from './timers';

/** How often a worker polls without a notification: finds retries, and timers that a dead worker had claimed. */
const pollMs = 1_000;
/** Minimum pause of a loop that finds something due but gets nothing, because another worker has claimed it. */
const pauseMinMs = 5;
/** If more is due than there was room for, handlers end meanwhile, so that the next poll returns several timers. */
const gatherMs = 15;
const retryFirstMs = 250;
const retryLastMs = 60_000;
/** Doublings of the first pause, after which the maximum pause is reached anyway. */
const doublingsMax = 8;

/** How long a stopping process waits for handlers. */
const leaveAfterMs = 3_000;

/** Limits: the timers that one statement removes, and those that may wait for one. */
const grouped = { batchMax: 500, waitingMax: 10_000 } as const;

interface TimerRow {
  readonly id: string;
  readonly kind: string;
  readonly due_at_ms: number;
  readonly payload: JsonObject;
}

/**
 * Handles due timers in a worker process. A row is claimed by this process (SKIP LOCKED, so that workers do not wait for each other), and
 * removed only after its handler has finished; the claim of a process that is gone is ignored.
 */
@Injectable()
export class TimerWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(TimerWorker.name);
  private readonly stopping = new AbortController();
  private readonly running = new Map<string, { readonly kind: string; readonly handled: Promise<void> }>();
  private readonly handled = new GroupLoader<TimerRow, null>((rows) => this.removeAll(rows), grouped);
  private readonly health: BackgroundWork;
  private readonly lateness: Histogram<'kind'>;
  private loop: Promise<void> = Promise.resolve();
  private wake: () => void = () => undefined;
  private stopListening: () => void = () => undefined;

  constructor(
    private readonly timers: Timers,
    private readonly database: Database,
    private readonly processes: Processes,
    private readonly notifications: Notifications,
    private readonly clock: Clock,
    { registry }: Metrics,
  ) {
    this.health = processes.watches('timers');
    this.lateness = new Histogram({
      name: 'parley_timer_lateness_seconds',
      help: 'By how much, by the service clock, timers are handled later than they are due, each try, by kind',
      labelNames: ['kind'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
      registers: [registry],
    });
  }

  /** Starts in the background, after every handler is registered, and continues after failures of handlers and of the database. */
  onApplicationBootstrap(): void {
    this.stopListening = this.notifications.on(timersChannel, (payload) => {
      if (Number(payload) - this.clock.epochMs() < pollMs) this.wake();
    });
    this.loop = this.work();
  }

  /** Takes no more timers and waits briefly for running handlers; an unfinished timer is handled again. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    this.stopListening();
    this.wake();
    await this.loop;
    const handled = [...this.running.values()].map((one) => one.handled);
    if (!(await settledWithin(handled, leaveAfterMs))) this.logger.warn('timers are left in the middle of their work');
  }

  private async work(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      // Created before the poll, so that a notification during it ends the pause at once.
      const told = new Promise<void>((resolve) => (this.wake = resolve));
      const restMs = await this.claimDue();
      if (restMs === 0) continue;
      let timeout: NodeJS.Timeout | undefined;
      await Promise.race([told, new Promise((resolve) => (timeout = setTimeout(resolve, restMs)))]);
      clearTimeout(timeout);
    }
  }

  /** Starts the due timers; returns the time until the next one is due, in milliseconds. */
  private async claimDue(): Promise<number> {
    try {
      const room = this.room();
      if (room.size === 0) return pollMs; // the first handler that ends wakes the loop
      const claimed = await this.claim(room);
      this.health.succeeded();
      for (const row of claimed) this.setOff(row);
      if (hasFilled(room, claimed)) await sleep(gatherMs);
      if (claimed.length > 0) return 0;
      return await this.untilNext([...room.keys()]);
    } catch (error) {
      this.health.failed();
      this.logger.warn(`due timers were not read: ${failureWords(error)}`);
      return pollMs;
    }
  }

  /** How many more handlers of each kind may run; a kind without room is left out. */
  private room(): ReadonlyMap<string, number> {
    const room = new Map([...this.timers.handlers].map(([kind, { atOnceMax }]) => [kind, atOnceMax]));
    for (const { kind } of this.running.values()) room.set(kind, (room.get(kind) ?? 0) - 1);
    return new Map([...room].filter(([, count]) => count > 0));
  }

  private async claim(room: ReadonlyMap<string, number>): Promise<TimerRow[]> {
    return this.database.query<TimerRow>(
      `WITH due AS (
         SELECT due.id FROM unnest($3::text[], $4::int[]) AS room (kind, count), LATERAL (
           SELECT id FROM timers
           WHERE due_at_ms <= $2 AND kind = room.kind AND id <> ALL($5) AND (retry_at IS NULL OR retry_at <= now())
             AND (claimed_by IS NULL OR claimed_by = $1 OR NOT EXISTS (
               SELECT 1 FROM processes WHERE processes.id = timers.claimed_by
                 AND processes.heartbeat_at > now() - $6 * interval '1 ms'))
           ORDER BY due_at_ms, id LIMIT room.count FOR UPDATE SKIP LOCKED) AS due),
       claimed AS (
         UPDATE timers SET claimed_by = $1 FROM due WHERE timers.id = due.id
         RETURNING timers.id, timers.kind, timers.due_at_ms, timers.payload)
       SELECT * FROM claimed ORDER BY due_at_ms, id`,
      [
        this.processes.id,
        this.clock.epochMs(),
        [...room.keys()],
        [...room.values()],
        [...this.running.keys()],
        processGoneMs,
      ],
    );
  }

  private setOff(row: TimerRow): void {
    this.lateness.observe({ kind: row.kind }, Math.max(0, this.clock.epochMs() - row.due_at_ms) / 1000);
    const handled = this.handle(row).finally(() => {
      this.running.delete(row.id);
      this.wake();
    });
    this.running.set(row.id, { kind: row.kind, handled });
  }

  /** Never rejects. If not even the outcome can be written, the row stays claimed by this process and is handled again. */
  private async handle(row: TimerRow): Promise<void> {
    const timer: Timer = { id: row.id, kind: row.kind, dueAt: instantOf(row.due_at_ms), payload: row.payload };
    try {
      await this.timers.handlers.get(row.kind)?.run(timer);
      // A handler that rescheduled its own id has changed the row's due time: that row is kept.
      await this.handled.load(row);
    } catch (error) {
      this.logger.warn(`timer ${row.id} failed and comes back: ${failureWords(error)}`);
      await this.giveBack(row);
    }
  }

  /** Removes timers whose handlers have finished. */
  private async removeAll(rows: readonly TimerRow[]): Promise<null[]> {
    await this.database.query(
      `DELETE FROM timers USING unnest($1::text[], $2::bigint[]) AS handled (id, due_at_ms)
       WHERE timers.id = handled.id AND timers.due_at_ms = handled.due_at_ms AND claimed_by = $3`,
      [rows.map(({ id }) => id), rows.map(({ due_at_ms }) => due_at_ms), this.processes.id],
    );
    return rows.map(() => null);
  }

  private async giveBack(row: TimerRow): Promise<void> {
    try {
      await this.database.query(
        `UPDATE timers SET claimed_by = NULL, failures = failures + 1,
           retry_at = now() + least($4, $5 * 2 ^ least(failures, ${doublingsMax})) * interval '1 ms'
         WHERE id = $1 AND due_at_ms = $2 AND claimed_by = $3`,
        [row.id, row.due_at_ms, this.processes.id, retryLastMs, retryFirstMs],
      );
    } catch (error) {
      this.logger.warn(`timer ${row.id} was not given back: ${failureWords(error)}`);
    }
  }

  private async untilNext(kinds: readonly string[]): Promise<number> {
    const [row] = await this.database.query<{ due: number | null }>(
      'SELECT min(due_at_ms) AS due FROM timers WHERE kind = ANY($1) AND claimed_by IS NULL AND retry_at IS NULL',
      [kinds],
    );
    const waitMs = row?.due == null ? pollMs : row.due - this.clock.epochMs();
    return Math.min(pollMs, Math.max(pauseMinMs, waitMs));
  }
}

/** Whether some kind used all of its room. */
function hasFilled(room: ReadonlyMap<string, number>, claimed: readonly TimerRow[]): boolean {
  return [...room].some(([kind, count]) => claimed.filter((row) => row.kind === kind).length >= count);
}
