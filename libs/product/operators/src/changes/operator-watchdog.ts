import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DamagedStream, Unavailable } from '@app/kernel';
import { Database, keepLeading } from '@app/read-store';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorChanges } from './operator-changes';

/** Real time, because moving the sandbox clock makes nothing overdue. */
const sweepEveryMs = 1_000;
/** By then the process that logged the intent has begun the change, has died, or could not reach a store. */
const overdueAfterMs = 4_000;

/** Completes changes that a crash interrupted, in one process of the deployment. */
@Injectable()
export class OperatorWatchdog implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(OperatorWatchdog.name);
  private readonly stopping = new AbortController();
  private work: Promise<void> = Promise.resolve();
  private firstSeenMs = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly changes: OperatorChanges,
  ) {}

  onApplicationBootstrap(): void {
    const { leaderSession } = this.database;
    this.work = keepLeading(leaderSession, 'operators', this.stopping.signal, async (leading) => {
      while (!leading.aborted) {
        await this.sweep();
        await sleep(sweepEveryMs, undefined, { signal: leading }).catch(() => undefined); // aborted: the loop ends
      }
    });
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.work;
  }

  /** Does one sweep. @throws Unavailable */
  private async sweep(): Promise<void> {
    const pending = await this.changes.pending();
    const nowMs = performance.now();
    this.firstSeenMs = new Map(pending.map(({ intentId }) => [intentId, this.firstSeenMs.get(intentId) ?? nowMs]));
    const failed = new Set<string>();
    for (const intent of pending) {
      const { intentId, operation, target } = intent;
      const isOverdue = nowMs - (this.firstSeenMs.get(intentId) ?? nowMs) >= overdueAfterMs;
      // Changes of one target are made in the order in which they were logged, so after a failure the later ones wait.
      if (!isOverdue || failed.has(target)) continue;
      try {
        // The changes before it may have taken long.
        if (!(await this.changes.isPending(intent))) continue;
        await this.changes.complete(intent);
        this.logger.log({ msg: 'completed a change that was cut', intentId, operation, target });
      } catch (error) {
        failed.add(target);
        this.logger.warn({ msg: failureMessage(error), intentId, operation, target, err: error });
      }
    }
  }
}

function failureMessage(error: unknown): string {
  if (error instanceof DamagedStream) return 'a change of a damaged stream is given up';
  return error instanceof Unavailable ? 'a change is not completed yet' : 'a change failed by a fault of ours';
}
