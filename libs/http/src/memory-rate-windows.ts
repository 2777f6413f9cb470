import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { RateWindows, type RateAnswer, type RateSubject } from './ports';

const slotMs = 100;
/** A slot leaves when all of it is more than 60 s old: the window errs by at most 100 ms, and only to refuse. */
const windowSlots = 600;
const sweepEveryMs = 30_000;

/**
 * The rate windows of a process that serves alone: exact like those in PostgreSQL, and empty after a restart, which admits at most
 * one window too much. Subjects are forgotten a minute after their last request, so that no more are kept than called in it.
 */
export class MemoryRateWindows extends RateWindows implements OnModuleInit, OnModuleDestroy {
  private readonly windows = new Map<string, Window>();
  private sweeper: NodeJS.Timeout | undefined;

  /** @param nowMs monotonic, in milliseconds */
  constructor(private readonly nowMs: () => number = () => performance.now()) {
    super();
  }

  onModuleInit(): void {
    this.sweeper = setInterval(() => this.sweep(), sweepEveryMs).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.sweeper);
  }

  take(subjects: readonly RateSubject[]): Promise<readonly RateAnswer[]> {
    const nowMs = this.nowMs();
    const answers: RateAnswer[] = [];
    for (const { subject, limit } of subjects) {
      const answer = this.windowOf(subject).take(limit, nowMs);
      answers.push(answer);
      if (!answer.admitted) break;
    }
    return Promise.resolve(answers);
  }

  /** Forgets idle subjects. */
  sweep(): void {
    const slot = slotOf(this.nowMs());
    for (const [subject, window] of this.windows) if (window.isEmptyAt(slot)) this.windows.delete(subject);
  }

  /** How many subjects are remembered. */
  get size(): number {
    return this.windows.size;
  }

  private windowOf(subject: string): Window {
    const known = this.windows.get(subject);
    if (known !== undefined) return known;
    const window = new Window();
    this.windows.set(subject, window);
    return window;
  }
}

const slotOf = (ms: number): number => Math.floor(ms / slotMs);

/** What one subject used in the last 60 s, by slots of 100 ms: a slot's place is used again when it comes round. */
class Window {
  private readonly counts = new Uint32Array(windowSlots + 1);
  private used = 0;
  /** The newest slot that was counted in. */
  private newest = 0;

  take(limit: number, nowMs: number): RateAnswer {
    const slot = slotOf(nowMs);
    this.moveTo(slot);
    const admitted = this.used < limit;
    if (admitted) {
      this.used += 1;
      this.counts[slot % this.counts.length] = this.countAt(slot) + 1;
    }
    const resetMs = (this.oldest() + windowSlots + 1) * slotMs - nowMs;
    const remaining = Math.max(0, limit - this.used);
    return { admitted, remaining, resetSeconds: Math.max(1, Math.ceil(resetMs / 1000)) };
  }

  isEmptyAt(slot: number): boolean {
    this.moveTo(slot);
    return this.used === 0;
  }

  /** Lets everything leave that is too old by now. */
  private moveTo(slot: number): void {
    const passed = Math.min(slot - this.newest, this.counts.length);
    for (let step = 1; step <= passed; step += 1) {
      const place = (this.newest + step) % this.counts.length;
      this.used -= this.counts[place] ?? 0;
      this.counts[place] = 0;
    }
    this.newest = Math.max(slot, this.newest);
  }

  private oldest(): number {
    let slot = Math.max(0, this.newest - windowSlots);
    while (slot < this.newest && this.countAt(slot) === 0) slot += 1;
    return slot;
  }

  private countAt(slot: number): number {
    return this.counts[slot % this.counts.length] ?? 0;
  }
}
