import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { abandonedAfterMs, ArtifactStore } from './stores/artifact-store';

/** Removes the remains of uploads by killed processes: at the start, and from time to time. */
@Injectable()
export class SweepUploads implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('artifacts');
  private readonly stop = new AbortController();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly store: ArtifactStore) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweep(), abandonedAfterMs).unref();
    void this.sweep();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.stop.abort();
  }

  private async sweep(): Promise<void> {
    try {
      await this.store.sweep(this.stop.signal);
    } catch (error) {
      if (this.stop.signal.aborted) return;
      this.logger.warn('what is left of broken uploads could not be removed', error);
    }
  }
}
