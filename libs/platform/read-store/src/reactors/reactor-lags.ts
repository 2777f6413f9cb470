import { mintedAtMs, type StoredEvent } from '@app/event-store';
import { gaugeBy, type Metrics } from '@app/runtime';

interface Standing {
  position: number;
  /** The oldest delivered event that it has not handled. */
  oldest: StoredEvent | undefined;
}

const lagPositions = {
  name: 'parley_reactor_lag_positions',
  help: 'Positions of the event store that a reactor which this process leads has not passed',
};
const lagSeconds = {
  name: 'parley_reactor_lag_seconds',
  help: 'Age of the oldest event that a reactor which this process leads is given and has not handled yet',
};

/** Lag of the reactors that this process leads. */
export class ReactorLags {
  private readonly standings = new Map<string, Standing>();

  /** Records that a reactor begins after this position. */
  begin(name: string, position: number): void {
    this.standings.set(name, { position, oldest: undefined });
  }

  /** Records the events that it is about to handle; they are delivered again if that fails. */
  handles(name: string, [oldest]: readonly StoredEvent[]): void {
    const standing = this.standings.get(name);
    if (standing !== undefined) standing.oldest = oldest;
  }

  /** Records that it has handled everything up to this position. */
  pass(name: string, position: number): void {
    this.begin(name, position);
  }

  /** Records that this process no longer leads it. */
  end(name: string): void {
    this.standings.delete(name);
  }

  /** Shows the lags in `GET /metrics`. @param readTo position up to which the store was read; null while nothing follows it */
  show(metrics: Metrics, readTo: () => number | null): void {
    const lagsBy = (valueOf: (standing: Standing) => number) => () =>
      [...this.standings].map(([name, standing]) => [name, valueOf(standing)] as const);
    const behind = lagsBy(({ position }) => Math.max(0, (readTo() ?? position) - position));
    const ageSeconds = lagsBy(({ oldest }) =>
      oldest === undefined ? 0 : Math.max(0, Date.now() - mintedAtMs(oldest.id)) / 1000,
    );
    gaugeBy('reactor', metrics, lagPositions, behind);
    gaugeBy('reactor', metrics, lagSeconds, ageSeconds);
  }
}
