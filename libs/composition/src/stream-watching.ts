import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { EventStore } from '@app/event-store';
import { streamCategories } from '@app/operators';
import { Database, Processes, StreamMarks, StreamWatch } from '@app/read-store';
import { Metrics } from '@app/runtime';
import { Gauge } from 'prom-client';

const troubles = ['tombstoned', 'deleted', 'truncated', 'foreign', 'limited'] as const;

/** Watches for streams that an administrator of the event store damages, and reports them in `GET /readyz` and a metric. */
@Injectable()
export class StreamWatching implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly watch: StreamWatch;

  constructor(store: EventStore, database: Database, processes: Processes, { registry }: Metrics) {
    const watch = new StreamWatch(store, new StreamMarks(database), streamCategories);
    this.watch = watch;
    processes.reports(() => watch.troubles);
    new Gauge({
      name: 'parley_damaged_streams',
      help: 'Streams that this process leaves alone since events of theirs are missing, and those whose metadata will hide some (limited)',
      labelNames: ['trouble'],
      registers: [registry],
      collect() {
        for (const trouble of troubles) this.set({ trouble }, watch.counts.get(trouble) ?? 0);
      },
    });
  }

  onApplicationBootstrap(): void {
    this.watch.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.watch.stop();
  }
}
