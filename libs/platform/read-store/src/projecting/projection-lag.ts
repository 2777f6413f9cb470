import { gaugeBy, type Metrics } from '@app/runtime';

/** Lag of the read models behind the events that this process knows of. */
export interface Lag {
  readonly positions: number;
  /** Age of the oldest event that is not projected, by the clock of the process that made it. */
  readonly ms: number;
}

/** The runner's state, as this metric needs it. */
interface Projecting {
  /** Lag of the slowest projection; null if another process projects. */
  readonly lag: Lag | null;
  /** Position of each read model. */
  readonly progress: ReadonlyMap<string, number>;
  /** Read models that are stalled at an event. */
  readonly stalled: readonly string[];
  /** Lag of each stalled read model. */
  readonly stalledLags: ReadonlyMap<string, Lag>;
}

const stalledModels = {
  name: 'parley_projection_stalled',
  help: 'Read models that stand still at an event which they cannot apply, 1 for each; of the process that projects',
};
const lagPositions = {
  name: 'parley_projection_lag_positions',
  help: 'Positions of the event store that a read model has not passed; of the process that projects',
};
const lagSeconds = {
  name: 'parley_projection_lag_seconds',
  help: 'Age of the oldest event that a read model does not show yet; of the process that projects',
};

/**
 * Metrics of the lag of each read model, and of the stalled ones, in `GET /metrics` of the process that projects; other processes report
 * none.
 */
export class ProjectionLag {
  constructor(
    metrics: Metrics,
    private readonly projecting: Projecting,
  ) {
    const lagsBy = (valueOf: (lag: Lag) => number) => () =>
      this.lags().map(([name, lag]) => [name, valueOf(lag)] as const);
    gaugeBy('projection', metrics, stalledModels, () => this.projecting.stalled.map((name) => [name, 1] as const));
    gaugeBy(
      'projection',
      metrics,
      lagPositions,
      lagsBy(({ positions }) => positions),
    );
    gaugeBy(
      'projection',
      metrics,
      lagSeconds,
      lagsBy(({ ms }) => ms / 1000),
    );
  }

  private lags(): (readonly [string, Lag])[] {
    const { lag, progress, stalledLags } = this.projecting;
    if (lag === null) return [];
    const lowest = Math.min(...progress.values());
    const moving = [...progress].map(([name, position]): [string, Lag] => {
      const behind = Math.max(0, lag.positions - (position - lowest));
      return [name, { positions: behind, ms: behind === 0 ? 0 : lag.ms }];
    });
    return [...new Map([...moving, ...stalledLags])];
  }
}
