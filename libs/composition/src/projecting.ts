import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { ProjectionRunner, Rebuilder } from '@app/read-store';

/**
 * Runs the projections of a worker process, and builds the tables that operators or a new version ask for: from the end of its boot until
 * everything that waits for read models has stopped.
 */
@Injectable()
export class Projecting implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly runner: ProjectionRunner,
    private readonly rebuilder: Rebuilder,
  ) {}

  onApplicationBootstrap(): void {
    this.runner.start();
    this.rebuilder.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.runner.stop(), this.rebuilder.stop()]);
  }
}
