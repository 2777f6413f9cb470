import { encodeEvent, type EventStore, type StoredEvent } from '@app/event-store';
import { Probe } from '@app/runtime';
import { counted, type CounterEvent, counterKind, someCause } from '@app/testing/deciders';
import { EmbeddedStore, until } from '@app/testing/event-store';
import { ProjectionRunner, type Database } from '../src';
import { openTallies, tallies } from './tally';

export const closed: CounterEvent = { type: 'counter.closed', at: counted(0).at };

interface RunnerOptions {
  readonly projection?: typeof tallies;
  readonly probe?: Probe;
}

/** Counters in a separate store, and their tallies, as the runners that a test starts project them. */
export class ProjectedTallies {
  private readonly runners: ProjectionRunner[] = [];

  private constructor(
    private readonly embedded: EmbeddedStore,
    private readonly store: EventStore,
    readonly database: Database,
  ) {}

  static async start(): Promise<ProjectedTallies> {
    const embedded = await EmbeddedStore.start();
    return new ProjectedTallies(embedded, embedded.connect(), await openTallies(embedded.database.url));
  }

  async stop(): Promise<void> {
    for (const runner of this.runners) await runner.stop();
    await this.database.close();
    await this.embedded.stop();
  }

  /** @returns the position of the last event */
  async append(id: string, ...events: CounterEvent[]): Promise<number> {
    const stream = `counter-${id}`;
    const encoded = events.map((event) => encodeEvent(counterKind, event, someCause()));
    const appended = await this.store.append(stream, encoded, await this.store.lastRevision(stream));
    if (appended.kind === 'conflict') throw new Error('the test appended twice at once');
    return appended.position;
  }

  eventsOf(id: string): Promise<StoredEvent[]> {
    return this.store.readStream(`counter-${id}`, 0, 1_000);
  }

  /** The row as the table has it; undefined if there is none. */
  async rowOf(id: string): Promise<unknown> {
    return (await this.database.query('SELECT * FROM tallies WHERE id = $1', [id]))[0];
  }

  async counters(): Promise<Record<string, number>> {
    const rows = await this.database.query<{ name: string; total: number }>('SELECT name, total FROM list_counters');
    return Object.fromEntries(rows.map(({ name, total }) => [name, total]));
  }

  async checkpoint(): Promise<{ position: number; version: number } | undefined> {
    const text = 'SELECT position, version FROM read_model_tables JOIN read_model_positions USING (table_name)';
    return (await this.database.query<{ position: number; version: number }>(text))[0];
  }

  /** A runner that projects once it is started, with a separate connection; it is stopped at the end. */
  runner({ projection = tallies, probe = new Probe() }: RunnerOptions = {}): ProjectionRunner {
    const runner = new ProjectionRunner(this.database, this.embedded.connect(), [projection], { probe });
    this.runners.push(runner);
    return runner;
  }

  started(options?: RunnerOptions): ProjectionRunner {
    const runner = this.runner(options);
    runner.start();
    return runner;
  }

  /** Resolves when everything up to the position is projected. */
  projected(position: number): Promise<void> {
    return until(async () => ((await this.checkpoint())?.position ?? 0) >= position);
  }
}
