import { mintedAtMs, type StoredEvent } from '@app/event-store';
import type { Metrics } from '@app/runtime';
import { Gauge } from 'prom-client';

interface Standing {
  position: number;
  /** The oldest delivered event that it has not handled. */
  oldest: StoredEvent | undefined;
}

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
  show({ registry }: Metrics, readTo: () => number | null): void {
    const gauge = (name: string, help: string, valueOf: (standing: Standing) => number): void => {
      const made: Gauge = new Gauge({
        name,
        help,
        labelNames: ['reactor'],
        registers: [registry],
        collect: () => {
          made.reset();
          for (const [reactor, standing] of this.standings) made.set({ reactor }, valueOf(standing));
        },
      });
    };
    gauge(
      'parley_reactor_lag_positions',
      'Positions of the event store that a reactor which this process leads has not passed',
      ({ position }) => Math.max(0, (readTo() ?? position) - position),
    );
    gauge(
      'parley_reactor_lag_seconds',
      'Age of the oldest event that a reactor which this process leads is given and has not handled yet',
      ({ oldest }) => (oldest === undefined ? 0 : Math.max(0, Date.now() - mintedAtMs(oldest.id)) / 1000),
    );
  }
}
