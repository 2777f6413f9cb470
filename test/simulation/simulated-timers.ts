import { epochMsOf } from '@app/kernel';
import type { Timer } from '@app/timers';

/** A timer, and whose it is: nobody's from `freeAtMs` on. */
export interface TimerRow {
  readonly timer: Timer;
  readonly dueMs: number;
  readonly freeAtMs: number;
  readonly failures: number;
  readonly claimedBy: number | null;
}

const retryFirstMs = 250;
const retryLastMs = 60_000;

/** The rows of the timers' table, with its rules: claims, moves while a handler runs, and what is left when that ends. */
export class SimulatedTimers {
  private readonly rows = new Map<string, TimerRow>();
  /** No row can be claimed before that instant. */
  nextMs = Infinity;

  /** As `Timers.schedule`: unchanged it does nothing; moved, it is nobody's any more. */
  schedule(timer: Timer): void {
    const row = this.rows.get(timer.id);
    if (row?.timer.dueAt === timer.dueAt && JSON.stringify(row.timer.payload) === JSON.stringify(timer.payload)) return;
    this.put({ timer, dueMs: epochMsOf(timer.dueAt), freeAtMs: 0, failures: 0, claimedBy: null });
  }

  /** Up to so many that are due and free, the oldest first; they are that process's from now on. */
  claim(process: number, nowMs: number, count: number): TimerRow[] {
    if (nowMs < this.nextMs || count === 0) return [];
    const due: TimerRow[] = [];
    let nextMs = Infinity;
    for (const row of this.rows.values()) {
      const atMs = Math.max(row.dueMs, row.freeAtMs);
      // What its own handler is at is free for the others only.
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

  /** Its handler has finished: gone, unless it was moved or is another's by now. */
  handled(row: TimerRow): void {
    if (this.isStill(row)) this.rows.delete(row.timer.id);
  }

  /** Its handler has failed: it comes back. */
  failed(row: TimerRow, nowMs: number): void {
    if (!this.isStill(row)) return;
    const pauseMs = Math.min(retryFirstMs * 2 ** row.failures, retryLastMs);
    this.put({ ...row, claimedBy: null, freeAtMs: nowMs + pauseMs, failures: row.failures + 1 });
  }

  /** The process is gone, or is believed to be: what it has claimed is free from that instant on. */
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
