import { Gauge, Histogram, type Registry } from 'prom-client';

/** `conflict`: the stream was at another revision. `failed`: the store refused the append, or did not answer in time. */
type AppendOutcome = 'appended' | 'conflict' | 'failed';

/**
 * Measures how long appends of this process take: the way to the event store and back, its queue, and its commit to disk. It therefore
 * means the same for the embedded store as for any other.
 */
export class AppendTimes {
  /** Start times of the pending appends; the first is the oldest. */
  private readonly pending = new Set<{ readonly startedMs: number }>();
  private durations: Histogram<'outcome'> | null = null;

  /** Runs an append, with all its attempts, and measures its duration. */
  async take<Ended extends { readonly kind: 'appended' | 'conflict' }>(append: () => Promise<Ended>): Promise<Ended> {
    const one = { startedMs: performance.now() };
    let outcome: AppendOutcome = 'failed';
    this.pending.add(one);
    try {
      const ended = await append();
      outcome = ended.kind;
      return ended;
    } finally {
      this.pending.delete(one);
      this.durations?.observe({ outcome }, (performance.now() - one.startedMs) / 1000);
    }
  }

  /** Publishes the measurements in `GET /metrics` from now on. */
  show(registry: Registry): void {
    const registers = [registry];
    this.durations = new Histogram({
      name: 'parley_event_store_append_duration_seconds',
      help: 'Time from an append of this process to its end, with the queue and the commit of the event store and all attempts, by outcome (appended, conflict, failed)',
      labelNames: ['outcome'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
    const gauge = (name: string, help: string, value: () => number): void => {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(value());
        },
      });
    };
    gauge(
      'parley_event_store_appends_pending',
      'Appends of this process that the event store has not answered: what waits in its queue, and on the way there',
      () => this.pending.size,
    );
    gauge(
      'parley_event_store_oldest_append_seconds',
      'How long the oldest pending append of this process has waited',
      () => {
        const [oldest] = this.pending;
        return oldest === undefined ? 0 : (performance.now() - oldest.startedMs) / 1000;
      },
    );
  }
}
