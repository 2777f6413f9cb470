import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { RateWindows, type RateAnswer, type RateSubject } from '../ports';
import { RateWindow } from './rate-window';

const sweepEveryMs = 30_000;

/**
 * The rate windows of a process that is the only one: exact like those in PostgreSQL, and empty after a restart, which admits at most one
 * window too much. Subjects are dropped a minute after their last request, so that only recent callers are stored.
 */
export class MemoryRateWindows extends RateWindows implements OnModuleInit, OnModuleDestroy {
  private readonly windows = new Map<string, RateWindow>();
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

  consume(subjects: readonly RateSubject[]): Promise<readonly RateAnswer[]> {
    const nowMs = this.nowMs();
    const answers: RateAnswer[] = [];
    for (const subject of subjects) {
      const answer = this.windowOf(subject.subject).consume(subject, nowMs);
      answers.push(answer);
      if (!answer.admitted) break;
    }
    return Promise.resolve(answers);
  }

  /** Drops idle subjects. */
  sweep(): void {
    const nowMs = this.nowMs();
    for (const [subject, window] of this.windows) if (window.usedAt(nowMs) === 0) this.windows.delete(subject);
  }

  /** Number of subjects that are kept. */
  get size(): number {
    return this.windows.size;
  }

  private windowOf(subject: string): RateWindow {
    const known = this.windows.get(subject);
    if (known !== undefined) return known;
    const window = new RateWindow();
    this.windows.set(subject, window);
    return window;
  }
}
