import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap, Logger } from '@nestjs/common';
import { EventStore, accessWarning, checkStreamAccess } from '@app/event-store';
import { streamCategories } from '@app/operators';
import { Database, Processes, StreamMarks, StreamWatch } from '@app/read-store';
import { Metrics } from '@app/runtime';
import { Gauge } from 'prom-client';
import { failureWords } from '@app/kernel';
import { Configuration } from '@app/settings';

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

/** Logs, once for each start, whether the event store lets others delete or truncate the streams of this service. */
@Injectable()
export class StreamAccessNotice implements OnApplicationBootstrap {
  private readonly logger = new Logger('StreamAccess');

  constructor(
    private readonly store: EventStore,
    private readonly configuration: Configuration,
  ) {}

  onApplicationBootstrap(): void {
    void this.look();
  }

  private async look(): Promise<void> {
    const { EVENTSTORE_URL } = this.configuration.env;
    if (EVENTSTORE_URL === undefined) return;
    try {
      const trouble = accessWarning(await checkStreamAccess(EVENTSTORE_URL, this.store.client));
      if (trouble !== null) this.logger.warn(trouble);
    } catch (error) {
      // The start does not depend on it; parley doctor checks again.
      this.logger.warn(`it is not known who may delete or truncate streams: ${failureWords(error)}`);
    }
  }
}
