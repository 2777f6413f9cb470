import { epochMsOf } from '@app/kernel';
import type { Timer } from '@app/timers';

/** A timer with its claim: it is free from `freeAtMs` on. */
export interface TimerRow {
  readonly timer: Timer;
  readonly dueMs: number;
  readonly freeAtMs: number;
  readonly failures: number;
  readonly claimedBy: number | null;
}

const retryFirstMs = 250;
const retryLastMs = 60_000;

/**
 * The rows of the timers' table, with its rules for claims, for moves while a handler runs, and for the end of a
 * handler.
 */
export class SimulatedTimers {
  private readonly rows = new Map<string, TimerRow>();
  /** No row can be claimed before this instant. */
  nextMs = Infinity;

  /** As `Timers.schedule`: an unchanged timer stays as it is; a moved one loses its claim. */
  schedule(timer: Timer): void {
    const row = this.rows.get(timer.id);
    if (row?.timer.dueAt === timer.dueAt && JSON.stringify(row.timer.payload) === JSON.stringify(timer.payload)) return;
    this.put({ timer, dueMs: epochMsOf(timer.dueAt), freeAtMs: 0, failures: 0, claimedBy: null });
  }

  /** Claims for a process up to `count` rows that are due and free, the oldest first. */
  claim(process: number, nowMs: number, count: number): TimerRow[] {
    if (nowMs < this.nextMs || count === 0) return [];
    const due: TimerRow[] = [];
    let nextMs = Infinity;
    for (const row of this.rows.values()) {
      const atMs = Math.max(row.dueMs, row.freeAtMs);
      // A row of the process's own running handler can be claimed only by other processes.
      if (atMs <= nowMs && row.claimedBy !== process) due.push(row);
      else nextMs = Math.min(nextMs, atMs);
    }
    due.sort((one, other) => one.dueMs - other.dueMs || (one.timer.id < other.timer.id ? -1 : 1));
    this.nextMs = due.length > count ? nowMs : nextMs;
    return due.slice(0, count).map((row) => {
      const claimed = { ...row, freeAtMs: Infinity, claimedBy: process };
      this.rows.set(row.timer.id, claimed);
      return claimed;
    });
  }

  /** Deletes the row of a handler that has finished, unless it was moved or another process has claimed it. */
  handled(row: TimerRow): void {
    if (this.isStill(row)) this.rows.delete(row.timer.id);
  }

  /** Makes the row of a handler that has failed due again after a pause. */
  failed(row: TimerRow, nowMs: number): void {
    if (!this.isStill(row)) return;
    const pauseMs = Math.min(retryFirstMs * 2 ** row.failures, retryLastMs);
    this.put({ ...row, claimedBy: null, freeAtMs: nowMs + pauseMs, failures: row.failures + 1 });
  }

  /** Frees the claims of a process that is gone, or is believed to be, at that instant. */
  released(process: number, freeAtMs: number): void {
    for (const row of this.rows.values()) if (row.claimedBy === process) this.put({ ...row, freeAtMs });
  }

  private put(row: TimerRow): void {
    this.rows.set(row.timer.id, row);
    this.nextMs = Math.min(this.nextMs, Math.max(row.dueMs, row.freeAtMs));
  }

  private isStill(row: TimerRow): boolean {
    const now = this.rows.get(row.timer.id);
    return now?.dueMs === row.dueMs && now.claimedBy === row.claimedBy;
  }
}
