import { Logger } from '@nestjs/common';
import type { EventStore } from '@app/event-store';
import type { Probe } from '@app/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { BuildingSession } from './building-session';
import { compareTables, keepComparison, keepUncompared, type Comparison } from './compare-tables';
import { obstacleTo, type Obstacle } from './comparison-obstacles';
import type { Database } from '../database/database';
import { readModelOf, skippedEvents } from '../projecting/followed-tables';
import { keepHolding } from '../leading/leadership';
import { categoriesOf, programOf, type AnyProjection } from '../read-models/projection';
import { beginProgress, endRebuild, selectRebuilds, type Rebuild } from '../tables/rebuild';
import type { Building, Pace } from './building';
import { TableBuilder } from './table-builder';
import { lockTables, makeIndexes, makeTable, refusesTable, retire } from '../tables/table-making';
import { removeTables } from './table-removal';
import type { Execute } from '../postgres/statement';

const lookEveryMs = 500;
/** How long a comparison is retried while neither table moves: longer than a hanging projector keeps its partitions. */
const comparingWithinMs = 20_000;
/** Rebuilds that are requested within this time, as by one command for all, are built in one reading of the store. */
const gatheredFor = '1 second';
const usualPace: Omit<Pace, 'kind'> = { pageEvents: 2_000, writtenEvents: 20_000 };

interface RebuilderOptions {
  readonly database: Database;
  readonly store: EventStore;
  readonly projections: readonly AnyProjection[];
  readonly probe: Probe;
  /** The usual pace when absent. */
  readonly pace?: Partial<Omit<Pace, 'kind'>>;
}

/**
 * Builds the requested tables, in one process of the deployment at a time, and removes those that are no longer needed. Its progress is in
 * the database: after a crash at any line, it or another process continues from there.
 */
export class Rebuilder {
  private readonly logger = new Logger(Rebuilder.name);
  private readonly stopping = new AbortController();
  private readonly held = new Set<string>();
  private running: Promise<void> = Promise.resolve();
  private readonly program: number;

  constructor(private readonly options: RebuilderOptions) {
    this.program = programOf(options.projections);
  }

  start(): void {
    const lock = { name: 'rebuilds', key: programOf(this.options.projections, 'rebuilds') };
    this.running = keepHolding(this.options.database.leaderSession, lock, this.stopping.signal, (signal) =>
      this.work(signal),
    );
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await removeTables(
        this.options.database,
        { projections: this.options.projections, program: this.program },
        (table) => this.noteHeld(table),
      );
      const open = await this.open();
      if (open.length > 0) await this.buildAll(open, signal);
      else await sleep(lookEveryMs, undefined, { signal }).catch(() => undefined); // aborted: the loop ends
    }
  }

  /** Logs once that a session keeps a table from being removed. */
  private noteHeld(table: string): void {
    if (!this.held.has(table)) this.logger.warn(`${table} is not removed yet: a session reads it`);
    this.held.add(table);
  }

  /** Rebuilds to be done; none yet while more are being requested. */
  private async open(): Promise<Rebuild[]> {
    const execute: Execute = (sql, parameters) => this.options.database.query(sql, parameters);
    const versions = new Map(this.options.projections.map(({ name, version }) => [name, version]));
    const found = await selectRebuilds(
      execute,
      `WHERE r.state IN ('building', 'catching_up', 'comparing') AND NOT EXISTS (SELECT 1 FROM read_model_rebuilds AS begun
         WHERE begun.state = 'building' AND begun.started_at > now() - interval '${gatheredFor}') ORDER BY r.started_at`,
      [],
    );
    return found.filter(({ projection, version }) => versions.get(projection) === version);
  }

  private async buildAll(rebuilds: readonly Rebuild[], signal: AbortSignal): Promise<void> {
    const session = await BuildingSession.open(this.options.database.url);
    try {
      await this.build(session, rebuilds, signal);
    } finally {
      await session.close();
    }
  }

  /** Completes rebuilds, all in one reading of the store. Throws Unavailable, BuildingTaken, and when the signal aborts. */
  private async build(session: BuildingSession, rebuilds: readonly Rebuild[], signal: AbortSignal): Promise<void> {
    const unbuilt = rebuilds.filter(({ state }) => state !== 'comparing');
    if (unbuilt.length > 0) await this.fill(session, unbuilt, signal);
    for (const { id } of rebuilds) await this.compare(session, id);
  }

  private async fill(session: BuildingSession, rebuilds: readonly Rebuild[], signal: AbortSignal): Promise<void> {
    const skipped = await skippedEvents(session.execute);
    const tables = rebuilds.map((rebuild) => ({
      ...this.buildingOf(rebuild),
      skipped: skipped.get(rebuild.projection),
    }));
    const { store, probe, pace, projections } = this.options;
    for (const table of tables) await this.make(session, table);
    const head = await store.endPositionOf(categoriesOf(tables.map(({ projection }) => projection)));
    const ids = rebuilds.map(({ id }) => id);
    await beginProgress(session.execute, ids, head);
    const kind = rebuilds.some((one) => one.pace === 'full') ? 'full' : 'gentle';
    const program = { projections, program: this.program };
    const builder = new TableBuilder(session, store, tables, program, probe, { ...usualPace, ...pace, kind }, head);
    await builder.fold(signal);
    for (const table of tables) await this.index(session, table);
    for (const table of tables) {
      await builder.handOver(table, signal);
      await this.tell(session, table);
    }
  }

  private buildingOf({ id, projection: name, table, position, isOfNewVersion }: Rebuild): Building {
    const projection = this.options.projections.find((one) => one.name === name);
    if (projection === undefined) throw new Error(`there is no projection ${name}`);
    const readModel = readModelOf(this.options.database, projection, table);
    return { ...readModel, rebuildId: id, isOfNewVersion, position, folded: position, failure: null };
  }

  private async make(session: BuildingSession, table: Building): Promise<void> {
    await makeTable(session.execute, table).catch((error: unknown) => failBuilding(table, error, 'made'));
  }

  private async index({ execute }: BuildingSession, table: Building): Promise<void> {
    if (table.failure !== null) return;
    await makeIndexes(execute, table).catch((error: unknown) => failBuilding(table, error, 'indexed'));
    if (table.failure !== null) return;
    await execute(`UPDATE read_model_rebuilds SET state = 'catching_up' WHERE id = $1 AND state = 'building'`, [
      table.rebuildId,
    ]);
  }

  private async tell(session: BuildingSession, { table, rebuildId, isOfNewVersion, failure }: Building): Promise<void> {
    if (failure === null) {
      this.logger.log(isOfNewVersion ? `${table} is built, and read from now on` : `${table} is built`);
      return;
    }
    await this.giveUp(session, { table, id: rebuildId }, failure);
  }

  private async giveUp(
    session: BuildingSession,
    { table, id }: Pick<Rebuild, 'table' | 'id'>,
    why: string,
  ): Promise<void> {
    this.logger.error(`${table} cannot be built: ${why}`);
    await session.transaction(async () => {
      await lockTables(session.execute);
      await retire(session.execute, table);
      await endRebuild(session.execute, id, 'failed', why);
    });
  }

  private async compare(session: BuildingSession, id: string): Promise<void> {
    const { execute } = session;
    const [rebuild] = await selectRebuilds(execute, `WHERE r.id = $1 AND r.state = 'comparing'`, [id]);
    if (rebuild === undefined) return;
    const [live] = await execute<{ name: string }>(
      `SELECT table_name AS name FROM read_model_tables WHERE projection = $1 AND version = $2 AND state = 'live'`,
      [rebuild.projection, rebuild.version],
    );
    if (live === undefined) throw new Error(`${rebuild.projection} has no live table to compare with`);
    const comparison = await this.compareAtOnePlace(session, rebuild, live.name);
    if (comparison === null) return;
    await session.transaction(() => keepComparison(execute, id, comparison));
    const { missing, extra, changed } = comparison.differences;
    if (missing + extra + changed > 0)
      this.logger.error(
        `${live.name} is not what its events result in: ${missing} rows missing, ${extra} too many, ${changed} changed (rebuild ${id})`,
      );
  }

  /**
   * Compares as soon as possible, and retries for a while. Returns null if that remains impossible. If the live table is the cause, the
   * rebuilt one becomes ready without a comparison, because it is to replace such a table; otherwise it is given up.
   */
  private async compareAtOnePlace(
    session: BuildingSession,
    rebuild: Rebuild,
    live: string,
  ): Promise<Comparison | null> {
    const { metadata, projection } = this.buildingOf(rebuild);
    const compared = { metadata, live, rebuilt: rebuild.table };
    const end = () => this.options.store.endPositionOf(categoriesOf([projection]));
    let reached = -1;
    let endsAtMs = performance.now() + comparingWithinMs;
    for (;;) {
      try {
        return await compareTables(session, metadata, live, rebuild.table, end);
      } catch (error) {
        const obstacle = await obstacleTo(session, compared, error);
        if (obstacle.position > reached) endsAtMs = performance.now() + comparingWithinMs;
        reached = Math.max(reached, obstacle.position);
        if (obstacle.isLasting || performance.now() > endsAtMs) {
          await this.endUncompared(session, rebuild, obstacle);
          return null;
        }
        await sleep(lookEveryMs);
      }
    }
  }

  private async endUncompared(session: BuildingSession, rebuild: Rebuild, { isOfLive, why }: Obstacle): Promise<void> {
    if (!isOfLive) return this.giveUp(session, rebuild, why);
    await keepUncompared(session.execute, rebuild.id, `not compared: ${why}`);
    this.logger.warn(`${rebuild.table} is built and not compared: ${why}`);
  }
}

/** Records why a table is given up. @throws an error that does not concern the table */
function failBuilding(table: Building, error: unknown, done: 'made' | 'indexed'): void {
  if (!refusesTable(error)) throw error;
  table.failure = `it cannot be ${done} like ${table.metadata.tableName}: ${error.message}`;
}
