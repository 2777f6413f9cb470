import { Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { ReadinessChecks } from '@app/http';
import { Configuration } from '@app/settings';
import { abandonedAfterMs, ArtifactStore, UnfitArtifactStore } from './artifact-store';

/** How long a start waits for a store that may become available. */
const lookWithinMs = 5_000;

/**
 * Checks the artifact store once: a mistake stops the start, and `GET /readyz` reports an unreachable S3 until it has answered. Removes the
 * remains of uploads by killed processes, at the start and from time to time.
 */
@Injectable()
export class StoreUpkeep implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('artifacts');
  private readonly stop = new AbortController();
  private isThere = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: ArtifactStore,
    private readonly checks: ReadinessChecks,
    private readonly configuration: Configuration,
  ) {}

  /** @throws UnfitArtifactStore */
  async onModuleInit(): Promise<void> {
    try {
      await this.look();
    } catch (error) {
      if (error instanceof UnfitArtifactStore) throw error;
      this.logger.warn('the store of artifacts does not answer', error);
    }
    if (this.configuration.env.ARTIFACT_STORE === 's3')
      this.checks.add({ name: 'artifact store', check: () => this.state() });
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweep(), abandonedAfterMs).unref();
    void this.sweep();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.stop.abort();
  }

  private async state(): Promise<'ok'> {
    if (!this.isThere) await this.look();
    return 'ok';
  }

  private async look(): Promise<void> {
    await this.store.look(AbortSignal.timeout(lookWithinMs));
    this.isThere = true;
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
