import { Logger } from '@nestjs/common';
import type { EventBatch, EventStore, StoredEvent } from '@app/event-store';
import { NoTracing, type Probe, type Tracing } from '@app/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import type { Database } from './database';
import { KnownRows } from './known-rows';
import { keepLeading } from './leadership';
import { categoriesOf, type AnyProjection } from './projection';
import { overtakenCode } from './migrations';
import { bumpCounters, emptyReadModel, foldBatch, type BatchChanges, type Select } from './projection-batch';
import type { Lag } from './projection-lag';
import { mintedAtMs, traceBatch } from './traced-batch';

/** How often the projector says that it is there while nothing happens. */
const heartbeatMs = 500;
/**
 * After a batch it rests as long as that took, at most so long, while events gather: under load few transactions of many events cost a
 * fraction of what many of few do, and what comes after a pause is projected at once.
 */
const restMaxMs = 10;
/** A batch of so many is followed by the next at once: there is something to catch up with. */
const fewEvents = 200;
/** As `EventStore.stuck` names it. */
const stuckName = 'projections';
/** The channel on which it says how far the read models are. */
export const projectedChannel = 'parley_projected';

/** On the bus of the process that projects: what is projected up to a position can be read. */
export class ReadModelsAdvanced {
  constructor(readonly position: number) {}
}

/**
 * The checkpoints were moved by another projector, or by a commit of ours whose answer was lost. The same batch would fail forever;
 * starting over reads where the checkpoints are now.
 */
class Overtaken extends Error {}

/** Runs every projection of the process in one pass over the events; rows, counters and checkpoints of a batch are one transaction. */
export class ProjectionRunner {
  private readonly logger = new Logger(ProjectionRunner.name);
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  /** Where each projection stands; shared reading for metrics. */
  readonly positions = new Map<string, number>();
  private readonly known = new KnownRows();
  /** The oldest of those that are not projected. */
  private oldest: StoredEvent | undefined;

  constructor(
    private readonly database: Database,
    private readonly store: EventStore,
    private readonly projections: readonly AnyProjection[],
    private readonly probe: Probe,
    private readonly tracing: Tracing = new NoTracing(),
  ) {}

  /** Starts in the background: waits for the leadership, projects, and starts over whenever something breaks. */
  start(): void {
    this.store.shared.expect(categoriesOf(this.projections));
    this.running = keepLeading(this.database.leaderSession, 'projector', this.stopping.signal, (signal) =>
      this.project(signal),
    );
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** How far the read models are behind; null unless this process projects. */
  get lag(): Lag | null {
    const { position } = this.store.shared;
    if (position === null || this.positions.size === 0) return null;
    const ms = this.oldest === undefined ? 0 : Math.max(0, Date.now() - mintedAtMs(this.oldest.id));
    return { positions: Math.max(0, position - this.lowest()), ms };
  }

  private async project(signal: AbortSignal): Promise<void> {
    await this.loadCheckpoints();
    const overtaken = new AbortController();
    void this.announce();
    const heartbeat = setInterval(() => void this.announce(), heartbeatMs);
    try {
      await this.store.shared.follow({
        categories: categoriesOf(this.projections),
        after: this.lowest(),
        signal: AbortSignal.any([signal, overtaken.signal]),
        onStuck: (isStuck) => (isStuck ? this.store.stuck.add(stuckName) : this.store.stuck.delete(stuckName)),
        onBatch: async (batch) => {
          const startedMs = performance.now();
          await this.commit(batch).catch((error: unknown) => {
            this.known.forget();
            if (error instanceof Overtaken) overtaken.abort(error);
            throw error;
          });
          const restMs = Math.min(restMaxMs, performance.now() - startedMs);
          if (batch.events.length < fewEvents) await sleep(restMs);
        },
      });
    } finally {
      clearInterval(heartbeat);
      this.oldest = undefined;
      this.positions.clear();
    }
    overtaken.signal.throwIfAborted();
  }

  private async loadCheckpoints(): Promise<void> {
    this.known.forget();
    await this.database.transaction(async (manager) => {
      for (const projection of this.projections) {
        const [row] = await manager.query<{ position: number; version: number }[]>(
          'SELECT position, version FROM projection_checkpoints WHERE name = $1 FOR UPDATE',
          [projection.name],
        );
        if (row?.version !== projection.version) {
          await emptyReadModel(manager, projection);
          await manager.query(
            `INSERT INTO projection_checkpoints (name, version, position) VALUES ($1, $2, 0)
             ON CONFLICT (name) DO UPDATE SET version = excluded.version, position = 0`,
            [projection.name, projection.version],
          );
        }
        this.positions.set(projection.name, row?.version === projection.version ? row.position : 0);
      }
    });
  }

  private async commit({ events, upTo }: EventBatch): Promise<void> {
    const behind = this.projections.filter(({ name }) => this.positionOf(name) < upTo);
    if (behind.length === 0) return;
    const lowestAfter = Math.min(...this.projections.map(({ name }) => Math.max(this.positionOf(name), upTo)));
    const startedAtMs = Date.now();
    [this.oldest] = events;
    this.probe.reached('projection:before-commit');
    const changes = await Promise.all(behind.map((projection) => this.changesOf(projection, events)));
    await this.keepAll(changes, behind, upTo, lowestAfter);
    for (const { keep } of changes) keep();
    this.probe.reached('projection:after-commit');
    for (const { name } of behind) this.positions.set(name, upTo);
    this.oldest = undefined;
    this.store.feed.announce(new ReadModelsAdvanced(lowestAfter));
    if (this.tracing.on) traceBatch(this.tracing, events, startedAtMs);
  }

  private async changesOf(projection: AnyProjection, events: readonly StoredEvent[]): Promise<BatchChanges> {
    const from = this.positionOf(projection.name);
    const news = events.filter(({ position }) => position > from);
    const select: Select = (sql, parameters) => this.database.query(sql, parameters);
    const metadata = this.database.source.getMetadata(projection.row);
    return foldBatch(select, { projection, metadata }, news, this.known);
  }

  /** Stores what a batch comes to and moves the checkpoints, or nothing of it where they are not where this projector left them. */
  private async keepAll(
    changes: readonly BatchChanges[],
    behind: readonly AnyProjection[],
    upTo: number,
    lowestAfter: number,
  ): Promise<void> {
    const names = behind.map(({ name }) => name);
    const expected = behind.map(({ name }) => this.positionOf(name));
    const versions = behind.map(({ version }) => version);
    const move = {
      text: 'SELECT move_projection_checkpoints($1, $2, $3, $4, $5, $6)',
      values: [names, expected, versions, upTo, projectedChannel, String(lowestAfter)],
    };
    const rows = changes.flatMap(({ statements }) => statements);
    const counters = bumpCounters(changes.map(({ counters: of }) => of));
    try {
      await this.database.all([...rows, ...counters, move]);
    } catch (error) {
      if (error instanceof DatabaseError && error.code === overtakenCode) throw new Overtaken(error.message);
      throw error;
    }
  }

  private async announce(): Promise<void> {
    try {
      await this.database.query(`SELECT pg_notify('${projectedChannel}', $1)`, [String(this.lowest())]);
    } catch (error) {
      this.logger.warn(`the projector's heartbeat failed: ${error instanceof Error ? error.message : 'unknown'}`);
    }
  }

  private lowest(): number {
    return Math.min(...this.projections.map(({ name }) => this.positionOf(name)));
  }

  private positionOf(name: string): number {
    return this.positions.get(name) ?? 0;
  }
}
