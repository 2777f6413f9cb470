import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ReadinessChecks } from '@app/http';
import { Configuration } from '@app/settings';
import { ArtifactStore, UnfitArtifactStore } from './artifact-store';

/** How long a start waits for a store that may become available. */
const lookWithinMs = 5_000;

/** Checks the artifact store once: a mistake stops the start, and `GET /readyz` reports an unreachable S3 until it has answered. */
@Injectable()
export class LookAtStore implements OnModuleInit {
  private readonly logger = new Logger('artifacts');
  private isThere = false;

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

  private async state(): Promise<'ok'> {
    if (!this.isThere) await this.look();
    return 'ok';
  }

  private async look(): Promise<void> {
    await this.store.look(AbortSignal.timeout(lookWithinMs));
    this.isThere = true;
  }
}
