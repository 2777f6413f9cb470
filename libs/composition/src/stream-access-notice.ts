import { failureWords } from '@app/kernel';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { accessWarning, EventStore, checkStreamAccess } from '@app/event-store';
import { Configuration } from '@app/settings';

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
