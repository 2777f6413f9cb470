import { failureWords } from '@app/kernel';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Processes, Reactors, type BackgroundWork } from '@app/read-store';
import { Sampler } from '../sources/sampler';
import { ContractUseReturns } from './contract-use-returns';
import { FiringReactor } from './firing-process';
import { MissingTimers } from './due-times';

/** How often a worker searches for automations, occurrences and sources without a timer. Real time. */
const sweepEveryMs = 30_000;

/** A worker process's work for automations apart from their timers: it reacts to inputs, and to the ends of runs and operations. */
@Injectable()
export class AutomationWork implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(AutomationWork.name);
  private readonly stopping = new AbortController();
  private reacting: Promise<unknown> = Promise.resolve();
  private sweeping: Promise<void> | null = null;
  private timer: NodeJS.Timeout | undefined;

  private readonly health: BackgroundWork;

  constructor(
    private readonly firing: FiringReactor,
    private readonly useReturns: ContractUseReturns,
    private readonly missing: MissingTimers,
    private readonly sampler: Sampler,
    private readonly reactors: Reactors,
    processes: Processes,
  ) {
    this.health = processes.watches('automations');
  }

  onApplicationBootstrap(): void {
    const { signal } = this.stopping;
    this.reacting = Promise.all([this.firing, this.useReturns].map((reactor) => this.reactors.run(reactor, signal)));
    // One sweep at a time, even if the database is slow.
    this.timer = setInterval(() => {
      this.sweeping ??= this.sweep().finally(() => (this.sweeping = null));
    }, sweepEveryMs);
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await Promise.all([this.reacting, this.sweeping]);
  }

  private async sweep(): Promise<void> {
    try {
      await this.missing.sweep();
      await this.sampler.sweep();
      this.health.succeeded();
    } catch (error) {
      this.health.failed();
      this.logger.warn(`automations were not checked: ${failureWords(error)}`);
    }
  }
}
