import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** The Prometheus registry of one process; `GET /metrics` on the management port shows it. */
export class Metrics {
  readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }
}

/** Registers a gauge with one label. Each `GET /metrics` calls `series` for its values: one series for each value of the label. */
export function gaugeBy(
  label: string,
  { registry }: Metrics,
  { name, help }: { readonly name: string; readonly help: string },
  series: () => Iterable<readonly [label: string, value: number]>,
): void {
  const gauge: Gauge = new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect: () => {
      gauge.reset();
      for (const [of, value] of series()) gauge.set({ [label]: of }, value);
    },
  });
}
