import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { ProjectionRunner } from '@app/read-store';

/** Runs the projections of a worker process: from the end of its boot until everything that waits for read models has stopped. */
@Injectable()
export class Projecting implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(private readonly runner: ProjectionRunner) {}

  onApplicationBootstrap(): void {
    this.runner.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.runner.stop();
  }
}
