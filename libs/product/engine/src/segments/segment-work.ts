import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Draining } from '@app/http';
import { QueuedRuns, SegmentWatchdog } from '@app/runs';

/** A worker process's duties in addition to executing segments: it repairs what crashes left behind, and starts what waits. */
@Injectable()
export class SegmentWork implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopping = new AbortController();
  private work: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly watchdog: SegmentWatchdog,
    private readonly queue: QueuedRuns,
    private readonly draining: Draining,
  ) {}

  onApplicationBootstrap(): void {
    // While this process answers its last requests, another one can already lead.
    const signal = AbortSignal.any([this.stopping.signal, this.draining.signal]);
    this.work = Promise.all([this.watchdog.run(signal), this.queue.run(signal)]);
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.work;
  }
}
