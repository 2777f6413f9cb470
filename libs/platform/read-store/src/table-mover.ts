import { Logger } from '@nestjs/common';
import type { EventBatch, StoredEvent } from '@app/event-store';
import { Unavailable } from '@app/kernel';
import type { Probe } from '@app/runtime';
import { DatabaseError } from 'pg';
import type { Database, Statement } from './database';
import { followTables, type FollowedTable, type Program, type Stall } from './followed-tables';
import { KnownRows } from './known-rows';
import { tablesChannel } from './live-tables';
import { overtakenCode, tablesChangedCode } from './migrations';
import type { Partitions } from './partition-leases';
import { payloadOf, projectedChannel, type Progress } from './progress';
import { bumpCounters, foldBatch, upsertOf, type BatchChanges, type Select } from './projection-batch';
import { RecentRate } from './recent-rate';
import type { StreamOwners } from './stream-owners';
import { refusesRow } from './table-making';
import { TablePlaces } from './table-places';

/** Of what PostgreSQL answers: tables are not where they were left, are not these, or are gone. */
const movedCodes: ReadonlySet<string> = new Set([overtakenCode, tablesChangedCode, '42P01']);
const reloadsMax = 3;

/**
 * The tables were moved by another projector, or there are others to follow, which are not as far as what was passed. The same batch would
 * leave something out; starting over reads where the tables are now.
 */
export class Overtaken extends Error {}

/** Some events of a batch, in order, and in which partition the owner of each is. */
interface Events {
  readonly events: readonly StoredEvent[];
  readonly upTo: number;
  readonly partitionOf: (event: StoredEvent) => number;
}

/** Moves the tables that this program follows from batch to batch, for some partitions; rows, counters and places are one transaction. */
export class TableMover {
  private readonly logger = new Logger(TableMover.name);
  private readonly known = new KnownRows();
  private readonly rates = new Map<string, RecentRate>();
  private tables: readonly FollowedTable[] = [];
  private stalls: readonly FollowedTable[] = [];
  private readonly places = new TablePlaces();
  private partitions: Partitions = { count: 1, held: [] };
  /** All that is not further is in the tables, or was before they were looked at. */
  private passed = 0;
  /** How often the list of tables has changed. */
  changes = 0;

  constructor(
    private readonly database: Database,
    private readonly owners: StreamOwners,
    private readonly program: Program,
    private readonly probe: Probe,
  ) {}

  /** Looks which tables are to be followed, and where they are: events come from there. @param retries those that are stalled, too */
  async begin(partitions: Partitions, retries: boolean): Promise<void> {
    this.partitions = partitions;
    await this.load(retries);
    this.passed = this.lowest;
  }

  /** Where each table stands that moves: the partition that is furthest behind. */
  get positions(): ReadonlyMap<string, number> {
    return this.places.positions;
  }

  /** The position that all tables have passed which are not stalled. */
  get lowest(): number {
    return this.tables.length === 0 ? 0 : Math.min(...this.tables.map(({ table }) => this.places.positionOf(table)));
  }

  /** What other processes are told of that position. */
  get progress(): Progress {
    const { count, held } = this.partitions;
    return { program: this.program.program, position: this.lowest, count, held };
  }

  /** The same for each read model. */
  get progressOfEach(): ReadonlyMap<string, number> {
    const progress = new Map<string, number>();
    const { positions } = this.places;
    for (const { projection, table } of this.tables)
      progress.set(projection.name, Math.min(positions.get(table) ?? 0, progress.get(projection.name) ?? Infinity));
    return progress;
  }

  get names(): readonly string[] {
    return this.tables.map(({ table }) => table);
  }

  /** Read models that stand still at an event. */
  get stalled(): readonly string[] {
    return [...new Set(this.stalls.map(({ projection }) => projection.name))];
  }

  stop(): void {
    this.places.clear();
    this.stalls = [];
  }

  /** Stores what a batch comes to. Answers whether anything moved. Throws Unavailable, and Overtaken where it has to start over. */
  async move({ events, upTo }: EventBatch): Promise<boolean> {
    const partitionOf = await this.owners.partitionsOf(events, this.partitions.count);
    const own = events.filter((event) => this.partitions.held.includes(partitionOf(event)));
    for (let reloads = 0; ; reloads += 1) {
      try {
        return await this.moveAll({ events: own, upTo, partitionOf });
      } catch (error) {
        this.known.forget();
        if (!hasMoved(error)) throw error;
        if (reloads === reloadsMax) throw new Overtaken(String(error));
        await this.load(false);
        if (this.lowest < this.passed) throw new Overtaken(String(error));
      }
    }
  }

  private async load(retries: boolean): Promise<void> {
    this.changes += 1;
    this.known.forget();
    const found = await followTables(this.database, this.program, this.partitions, retries);
    this.tables = found.filter(({ stalled }) => stalled === null);
    this.stalls = found.filter(({ stalled }) => stalled !== null);
    this.places.clear();
    for (const { table, positions } of this.tables) this.places.begin(table, positions);
  }

  private async moveAll(batch: Events): Promise<boolean> {
    const behind = this.tables.filter(({ table }) => this.places.positionOf(table) < batch.upTo);
    if (behind.length > 0) {
      this.probe.reached('projection:before-commit');
      await this.moveTables(behind, batch).catch(async (error: unknown) => {
        if (!isOfAnEvent(error)) throw error;
        this.known.forget();
        for (const table of behind) await this.moveAlone(table, batch);
      });
      this.probe.reached('projection:after-commit');
    }
    this.passed = Math.max(this.passed, batch.upTo);
    return behind.length > 0;
  }

  private async moveTables(behind: readonly FollowedTable[], batch: Events): Promise<void> {
    const changes = await Promise.all(behind.map((table) => this.changesOf(table, batch)));
    await this.keepAll(changes, behind, batch.upTo);
    for (const { keep } of changes) keep();
    for (const { table } of behind) this.places.move(table, batch.upTo);
  }

  /** Moves one table as far as it can be moved: up to the event that cannot be applied, which half after half of the events leads to. */
  private async moveAlone(table: FollowedTable, batch: Events): Promise<void> {
    try {
      await this.moveTables([table], batch);
    } catch (error) {
      if (!isOfAnEvent(error)) throw error;
      const news = this.newsOf(table, batch);
      const half = news.slice(0, Math.ceil(news.length / 2));
      const last = half.at(-1);
      if (last === undefined) throw error;
      if (news.length === 1) return this.stall(table, last, error);
      await this.moveAlone(table, { ...batch, events: half, upTo: last.position });
      if (this.tables.includes(table)) await this.moveAlone(table, { ...batch, events: news });
    }
  }

  private async stall(table: FollowedTable, event: StoredEvent, error: unknown): Promise<void> {
    const { stream, revision, position } = event;
    const stalled: Stall = { stream, revision, position, error: String(error) };
    await this.database.query(
      `WITH stalled AS (UPDATE read_model_tables SET stalled = $2 WHERE table_name = $1 AND follower = $3 RETURNING 1)
       SELECT pg_notify('${tablesChannel}', '') FROM stalled`,
      [table.table, JSON.stringify(stalled), this.program.program],
    );
    this.logger.error(
      `${table.table} stands still at event ${revision} of ${stream}, which it cannot apply: ${stalled.error}`,
    );
    this.tables = this.tables.filter((one) => one !== table);
    this.stalls = [...this.stalls, table];
    this.changes += 1;
    this.places.leave(table.table);
  }

  private async changesOf(table: FollowedTable, batch: Events): Promise<BatchChanges> {
    const select: Select = (sql, parameters) => this.database.query(sql, parameters);
    return foldBatch(select, table, this.newsOf(table, batch), this.known);
  }

  private newsOf({ table }: FollowedTable, { events, partitionOf }: Events): StoredEvent[] {
    return events.filter((event) => event.position > this.places.positionIn(table, partitionOf(event)));
  }

  /** Stores what a batch comes to and moves the tables, or nothing of it where they are not where this projector left them. */
  private async keepAll(
    changes: readonly BatchChanges[],
    behind: readonly FollowedTable[],
    upTo: number,
  ): Promise<void> {
    const rows = changes.flatMap(({ readModel, rows: changed }) => upsertOf(readModel, changed));
    const counters = bumpCounters(changes.map(({ counters: of }) => of));
    await this.database.all([...rows, ...counters, this.movement(changes, behind, upTo)]);
  }

  private movement(changes: readonly BatchChanges[], behind: readonly FollowedTable[], upTo: number): Statement {
    const { count, held } = this.partitions;
    const moves = behind.flatMap(({ table }, index) => {
      const rate = this.rateOf(table).after(changes[index]?.events ?? 0) / held.length;
      return this.places.behind(table, upTo).map(([partition, position]) => ({ table, partition, position, rate }));
    });
    const tables = behind.map(({ table }) => table);
    const lowest = Math.min(
      ...this.names.map((table) => (tables.includes(table) ? upTo : this.places.positionOf(table))),
    );
    return {
      text: 'SELECT move_read_models($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
      values: [
        this.program.program,
        this.names,
        moves.map(({ table }) => table),
        moves.map(({ partition }) => partition),
        count,
        moves.map(({ position }) => position),
        moves.map(({ rate }) => rate),
        upTo,
        projectedChannel,
        payloadOf({ ...this.progress, position: lowest }),
      ],
    };
  }

  private rateOf(table: string): RecentRate {
    const rate = this.rates.get(table) ?? new RecentRate();
    this.rates.set(table, rate);
    return rate;
  }
}

function hasMoved(error: unknown): boolean {
  return error instanceof DatabaseError && movedCodes.has(error.code ?? '');
}

/** Whether it comes of an event or of a row that one made, and comes again with it. */
function isOfAnEvent(error: unknown): boolean {
  if (error instanceof Unavailable || error instanceof Overtaken) return false;
  return error instanceof DatabaseError ? refusesRow(error) : true;
}
