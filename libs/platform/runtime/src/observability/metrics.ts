import { collectDefaultMetrics, Registry } from 'prom-client';

/** The Prometheus registry of one process; `GET /metrics` on the management port shows it. */
export class Metrics {
  readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }
}
