import type { Metrics } from '@app/runtime';
import { Gauge } from 'prom-client';

/** How far the read models are behind the events that this process knows of. */
export interface Lag {
  readonly positions: number;
  /** Since the oldest event that is not projected was made; by the clock of the process that made it. */
  readonly ms: number;
}

/** Shows the lag of the read models in `GET /metrics` of the process that projects; others show none. */
export class ProjectionLag {
  /** @param lag null where another process projects */
  constructor(metrics: Metrics, lag: () => Lag | null) {
    const gauge = (name: string, help: string, valueOf: (lag: Lag) => number): Gauge => {
      const made: Gauge = new Gauge({
        name,
        help,
        registers: [metrics.registry],
        collect: () => {
          const now = lag();
          if (now === null) made.remove();
          else made.set(valueOf(now));
        },
      });
      return made;
    };
    gauge(
      'parley_projection_lag_positions',
      'Positions of the event store that the read models have not passed',
      ({ positions }) => positions,
    );
    gauge(
      'parley_projection_lag_seconds',
      'Age of the oldest event that the read models do not show yet',
      ({ ms }) => ms / 1000,
    );
  }
}
