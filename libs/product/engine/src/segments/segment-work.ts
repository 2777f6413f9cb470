import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Draining } from '@app/http';
import { SegmentWatchdog } from '@app/runs';

/** Repairs what crashes left behind: a worker process's duty for segments in addition to executing them. */
@Injectable()
export class SegmentWork implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopping = new AbortController();
  private work: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly watchdog: SegmentWatchdog,
    private readonly draining: Draining,
  ) {}

  onApplicationBootstrap(): void {
    // While this process answers its last requests, another one can already lead.
    this.work = this.watchdog.run(AbortSignal.any([this.stopping.signal, this.draining.signal]));
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.work;
  }
}
