import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock, type OperationId, failureWords } from '@app/kernel';
import { Database, Processes, type BackgroundWork } from '@app/read-store';
import { Timers } from '@app/timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { operationTimer, operationTimers } from '../operation/operation-start';

/** Real time, because moving the sandbox clock loses no timers. */
const sweepEveryMs = 30_000;
const strayAtOnceMax = 200;

/** Schedules operations in flight that lost their timer. Every worker does this; two at once do no harm. */
@Injectable()
export class OperationWatchdog implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(OperationWatchdog.name);
  private readonly stopping = new AbortController();
  private loop: Promise<void> = Promise.resolve();

  private readonly health: BackgroundWork;

  constructor(
    private readonly database: Database,
    private readonly timers: Timers,
    private readonly clock: Clock,
    processes: Processes,
  ) {
    this.health = processes.watches('operations');
  }

  onApplicationBootstrap(): void {
    this.loop = this.watch();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }

  /** Does one sweep. @throws Unavailable */
  async sweep(): Promise<void> {
    const strays = await this.database.query<{ id: OperationId }>(
      `SELECT o.id FROM {financial_operations} AS o
       WHERE o.status IN ('submitted', 'unresolved')
         AND NOT EXISTS (SELECT 1 FROM timers AS t WHERE t.id = '${operationTimers}/' || o.id)
       ORDER BY o.position LIMIT $1`,
      [strayAtOnceMax],
    );
    for (const { id } of strays) {
      await this.timers.schedule(operationTimer(id, this.clock.now()));
      this.logger.log({ msg: 'found an operation that nothing drove', operationId: id });
    }
  }

  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.sweep();
        this.health.succeeded();
      } catch (error) {
        this.health.failed();
        this.logger.warn(`operations were not checked: ${failureWords(error)}`);
      }
      await sleep(sweepEveryMs, undefined, { signal }).catch(() => undefined); // aborted: the loop ends
    }
  }
}
