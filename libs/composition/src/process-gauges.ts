import { statfs } from 'node:fs/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ReadinessChecks } from '@app/http';
import { polledGauges, Metrics } from '@app/runtime';
import { Configuration } from '@app/settings';
import { Gauge } from 'prom-client';

const folderGauges = {
  parley_data_folder_size_bytes: { help: 'Size of the file system that PARLEY_DATA_DIR of this process is on' },
  parley_data_folder_free_bytes: { help: 'What is free on the file system that PARLEY_DATA_DIR of this process is on' },
};

/** Publishes in `GET /metrics` the checks of `GET /readyz`, and the space on the disk. */
@Injectable()
export class ProcessGauges implements OnModuleInit {
  constructor(
    private readonly checks: ReadinessChecks,
    private readonly configuration: Configuration,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    const gauge: Gauge = new Gauge({
      name: 'parley_check_ok',
      help: 'What GET /readyz of this process says of each of its checks: ok (1), or degraded or away (0)',
      labelNames: ['check'],
      registers: [this.metrics.registry],
      collect: async () => {
        const { body } = await this.checks.report(false);
        gauge.reset();
        for (const [check, state] of Object.entries(body.checks)) gauge.set({ check }, state === 'ok' ? 1 : 0);
      },
    });
    polledGauges(this.metrics, folderGauges, () => this.room());
  }

  /** Empty when the folder does not exist, as with external stores and a bucket. */
  private async room() {
    const found = await statfs(this.configuration.env.PARLEY_DATA_DIR).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (found === null) return [];
    return [
      { name: 'parley_data_folder_size_bytes', value: found.blocks * found.bsize },
      { name: 'parley_data_folder_free_bytes', value: found.bavail * found.bsize },
    ] as const;
  }
}
