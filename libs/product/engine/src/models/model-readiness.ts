import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ReadinessChecks } from '@app/http';
import { Processes } from '@app/read-store';
import { Metrics } from '@app/runtime';
import { Gauge } from 'prom-client';
import { Models, type WatchedModel } from './models';

/** The name in `GET /readyz`. */
const checkName = 'models';

/** Reports open circuit breakers of model providers for the whole deployment, whichever worker finds them. */
@Injectable()
export class ModelReadiness implements OnModuleInit {
  constructor(
    @Inject(Models) private readonly models: Models,
    @Inject(Processes) private readonly processes: Processes,
    @Inject(ReadinessChecks) private readonly checks: ReadinessChecks,
    @Inject(Metrics) private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    const { watched } = this.models;
    if (watched.length === 0) return;
    this.tell(checkName, watched);
    // The state of a single model is that of `models`.
    if (watched.length > 1) for (const model of watched) this.tell(`model ${model.name}`, [model]);
    const open: Gauge = new Gauge({
      name: 'parley_model_breaker_open',
      help: 'Whether this process does not ask the provider of a model because it did not answer (1), or does (0)',
      labelNames: ['provider', 'model'],
      registers: [this.metrics.registry],
      collect: () => {
        for (const { name, provider, breaker } of watched) open.set({ provider, model: name }, breaker.open ? 1 : 0);
      },
    });
  }

  private tell(name: string, models: readonly WatchedModel[]): void {
    const isAway = () => models.some(({ breaker }) => breaker.open);
    this.processes.reports(() => (isAway() ? [name] : []));
    this.checks.add({
      name,
      throughDatabase: true,
      check: async () => ((await this.processes.troubles()).includes(name) ? 'degraded' : 'ok'),
    });
  }
}
