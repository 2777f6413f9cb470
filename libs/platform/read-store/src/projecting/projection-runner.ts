import { failureWords } from '@app/kernel';
import { Logger } from '@nestjs/common';
import { mintedAtMs, type EventBatch, type EventStore, type StoredEvent } from '@app/event-store';
import { NoTracing, type Probe, type Tracing } from '@app/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../database/database';
import { tablesToFollow, type Program } from './followed-tables';
import { keepUsing } from '../leading/leadership';
import { PartitionLeases } from '../partitions/partition-leases';
import { type Partitions, setPartitionCount } from '../partitions/places';
import { payloadOf, projectedChannel, type Progress } from './progress';
import { categoriesOf, programOf, type AnyProjection } from '../read-models/projection';
import type { Lag } from './projection-lag';
import { StreamOwners } from '../partitions/stream-owners';
import { StalledTables } from './stalled-tables';
import { TableMover } from './table-mover';
import { Overtaken } from '../tables/table-errors';
import { traceBatch } from './traced-batch';

/** How often an idle projector announces itself. */
const heartbeatMs = 500;
/**
 * After a batch it pauses as long as the batch took, but at most this long, while events gather: under load, few transactions of many
 * events cost a fraction of many transactions of few. An event that arrives after a pause is projected at once.
 */
const restMaxMs = 10;
/** A batch with at least this many events of its own is followed by the next one without a pause, because the projector is catching up. */
const fewEvents = 200;
/** The name under which `EventStore.stuck` lists projections. */
const stuckName = 'projections';

/** Event on the bus of a process that projects: everything up to this position can be read. */
export class ReadModelsAdvanced {
  constructor(readonly progress: Progress) {}
}

interface RunnerOptions {
  readonly probe: Probe;
  readonly tracing?: Tracing;
  /** Number of partitions into which the projectors of this program divide their work from now on; unchanged when absent. */
  readonly partitions?: number | undefined;
  /** How often stalled tables are retried; every 5 s when absent. */
  readonly retryStalledEveryMs?: number;
}

/**
 * Runs every projection of the process in one pass over the events, into every followed table, for the owners of streams in its partitions.
 */
export class ProjectionRunner {
  private readonly logger = new Logger(ProjectionRunner.name);
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private readonly program: Program;
  private readonly mover: TableMover;
  private readonly stalledTables: StalledTables;
  private readonly tracing: Tracing;
  private isDivided = false;
  private hasLed = false;
  /** The oldest event that is not projected. */
  private oldest: StoredEvent | undefined;

  constructor(
    private readonly database: Database,
    private readonly store: EventStore,
    private readonly projections: readonly AnyProjection[],
    private readonly options: RunnerOptions,
  ) {
    this.program = { projections, program: programOf(projections) };
    this.mover = new TableMover(database, new StreamOwners(store), this.program, options.probe);
    this.stalledTables = new StalledTables(database, store, this.mover, options.retryStalledEveryMs);
    this.tracing = options.tracing ?? new NoTracing();
  }

  /** Position of each table, while this process projects. */
  get positions(): ReadonlyMap<string, number> {
    return this.mover.positions;
  }

  /** Position of each read model across all of its tables, while this process projects. */
  get progress(): ReadonlyMap<string, number> {
    return this.mover.progressOfEach;
  }

  /** Read models that are stalled at an event which they cannot apply, while this process projects. */
  get stalled(): readonly string[] {
    return this.mover.stalled;
  }

  /** Lag of each stalled read model, by name. */
  get stalledLags(): ReadonlyMap<string, Lag> {
    return this.stalledTables.lags(this.store.shared.position ?? 0);
  }

  /** Starts in the background: takes its share of the partitions, projects, and starts over whenever something fails. */
  start(): void {
    this.store.shared.expect(categoriesOf(this.projections));
    const { signal } = this.stopping;
    this.running = keepUsing(this.database.leaderSession, 'projector', signal, async (session) => {
      await this.divide();
      const body = (partitions: Partitions, held: AbortSignal) => this.lead(partitions, held);
      await new PartitionLeases(this.database, this.projections, session, body).hold(signal);
    });
  }

  /** Sets the number of partitions once, because a later process may set another number. */
  private async divide(): Promise<void> {
    const { partitions } = this.options;
    if (partitions === undefined || this.isDivided) return;
    await setPartitionCount(this.database, this.program.program, partitions);
    this.isDivided = true;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Lag of the read models; null unless this process projects. */
  get lag(): Lag | null {
    const { position } = this.store.shared;
    if (position === null || this.positions.size === 0) return null;
    const ms = this.oldest === undefined ? 0 : Math.max(0, Date.now() - mintedAtMs(this.oldest.id));
    return { positions: Math.max(0, position - this.mover.lowest), ms };
  }

  /** Projects repeatedly from the tables' positions: a table behind the others takes all of them back. */
  private async lead(partitions: Partitions, signal: AbortSignal): Promise<void> {
    await this.mover.begin(partitions, !this.hasLed);
    this.hasLed = true;
    const ended = new AbortController();
    const retrying = this.stalledTables.keepTrying(AbortSignal.any([signal, ended.signal]), (error) =>
      this.logger.warn(`a stalled table was not retried: ${failureWords(error)}`),
    );
    try {
      while (!signal.aborted) {
        await this.project(signal);
        await sleep(restMaxMs);
        await this.mover.begin(partitions, false);
      }
    } finally {
      ended.abort();
      await retrying;
      this.oldest = undefined;
      this.mover.stop();
    }
  }

  /** Projects until the signal aborts or there are other tables to follow. */
  private async project(signal: AbortSignal): Promise<void> {
    const overtaken = new AbortController();
    const beat = (): void => void this.beat(overtaken);
    beat();
    const heartbeat = setInterval(beat, heartbeatMs);
    try {
      const ending = AbortSignal.any([signal, overtaken.signal]);
      if (this.mover.names.length === 0) return await aborted(ending);
      await this.store.shared.follow({
        name: stuckName,
        categories: categoriesOf(this.projections),
        after: this.mover.lowest,
        signal: ending,
        onStuck: (isStuck) => (isStuck ? this.store.stuck.add(stuckName) : this.store.stuck.delete(stuckName)),
        onBatch: async (batch) => {
          const startedMs = performance.now();
          await this.commit(batch).catch((error: unknown) => {
            if (error instanceof Overtaken) overtaken.abort(error);
            throw error;
          });
          const restMs = Math.min(restMaxMs, performance.now() - startedMs);
          const { count, held } = this.mover.progress;
          if ((batch.events.length * held.length) / count < fewEvents) await sleep(restMs);
        },
      });
    } finally {
      clearInterval(heartbeat);
    }
  }

  private async commit(batch: EventBatch): Promise<void> {
    const startedAtMs = Date.now();
    [this.oldest] = batch.events;
    const hasMoved = await this.mover.move(batch);
    this.oldest = undefined;
    if (!hasMoved) return;
    this.store.feed.announce(new ReadModelsAdvanced(this.mover.progress));
    if (this.tracing.on) traceBatch(this.tracing, batch.events, startedAtMs);
  }

  /** Announces the tables' position, and checks whether there are other tables to follow: while no event arrives, nothing else does. */
  private async beat(overtaken: AbortController): Promise<void> {
    try {
      const { names, progress, changes } = this.mover;
      const payload = payloadOf(progress);
      if (names.length > 0) await this.database.query(`SELECT pg_notify('${projectedChannel}', $1)`, [payload]);
      const found = await tablesToFollow(this.database, this.program);
      if (changes === this.mover.changes && found.join() !== names.join()) overtaken.abort();
    } catch (error) {
      this.logger.warn(`the projector's heartbeat failed: ${failureWords(error)}`);
    }
  }
}

/** Resolves when the signal aborts. */
async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
