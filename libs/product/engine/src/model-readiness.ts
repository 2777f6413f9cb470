import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ReadinessChecks } from '@app/http';
import { Processes } from '@app/read-store';
import { Configuration, Metrics } from '@app/runtime';
import { Gauge } from 'prom-client';
import { Models } from './models';

/** As `GET /readyz` names it. */
const checkName = 'models';

/** Reports an open circuit breaker of the model provider to the whole deployment, from whichever worker finds it. */
@Injectable()
export class ModelReadiness implements OnModuleInit {
  constructor(
    @Inject(Models) private readonly models: Models,
    @Inject(Processes) private readonly processes: Processes,
    @Inject(ReadinessChecks) private readonly checks: ReadinessChecks,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(Configuration) private readonly configuration: Configuration,
  ) {}

  onModuleInit(): void {
    const { breaker } = this.models;
    if (breaker === null) return;
    this.processes.reports(() => (breaker.open ? [checkName] : []));
    this.checks.add({
      name: checkName,
      check: async () => ((await this.processes.troubles()).includes(checkName) ? 'degraded' : 'ok'),
    });
    const open: Gauge = new Gauge({
      name: 'parley_model_breaker_open',
      help: 'Whether this process does not ask the provider of models because it did not answer (1), or does (0)',
      labelNames: ['provider'],
      registers: [this.metrics.registry],
      collect: () => {
        open.set({ provider: this.configuration.env.MODEL_PROVIDER }, breaker.open ? 1 : 0);
      },
    });
  }
}
