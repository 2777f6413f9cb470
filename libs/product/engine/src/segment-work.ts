import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { EventStore } from '@app/event-store';
import { Draining } from '@app/http';
import { Database, runReactor } from '@app/read-store';
import { OrphanWatchdog, SegmentClosing } from '@app/runs';

/** What a worker process does about segments besides executing them: closes those that are over, and sweeps what admissions left. */
@Injectable()
export class SegmentWork implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopping = new AbortController();
  private work: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly closing: SegmentClosing,
    private readonly watchdog: OrphanWatchdog,
    private readonly database: Database,
    private readonly store: EventStore,
    private readonly draining: Draining,
  ) {}

  onApplicationBootstrap(): void {
    // While this process answers its last requests, another one can lead already.
    const signal = AbortSignal.any([this.stopping.signal, this.draining.signal]);
    this.work = Promise.all([runReactor(this.database, this.store, this.closing, signal), this.watchdog.run(signal)]);
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.work;
  }
}
