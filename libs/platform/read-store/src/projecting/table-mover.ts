import { Logger } from '@nestjs/common';
import { mintedAtMs, type EventBatch, type StoredEvent } from '@app/event-store';
import { TookTooLong } from '@app/kernel';
import type { Probe } from '@app/runtime';
import type { Database } from '../database/database';
import { followTables, recordStall, type FollowedTable, type Program, type Stall } from './followed-tables';
import { RowCache } from '../read-models/row-cache';
import { type Partitions, moving } from '../partitions/places';
import { lowestOfEach, payloadOf, projectedChannel, type Progress } from './progress';
import { bumpCounters, foldBatch, upsertOf, type BatchChanges, type Select } from '../read-models/projection-batch';
import { RecentRates } from './recent-rate';
import type { StreamOwners } from '../partitions/stream-owners';
import { TablePositions } from './table-positions';
import { hasMoved, isTableError, Overtaken } from '../tables/table-errors';
import type { Statement } from '../postgres/statement';
import { isMissingTable, rootCauseText } from '../postgres/postgres-errors';

const reloadsMax = 3;

/** Some events of a batch, in order, and the partition of each event's owner. */
interface Events {
  readonly events: readonly StoredEvent[];
  readonly upTo: number;
  readonly partitionOf: (event: StoredEvent) => number;
}

/** Moves the followed tables by batches, for some partitions; rows, counters and positions are one transaction. */
export class TableMover {
  private readonly logger = new Logger(TableMover.name);
  private readonly known = new RowCache();
  private readonly rates = new RecentRates();
  private tables: readonly FollowedTable[] = [];
  /** Tables that are left out, because they are stalled at an event. */
  stalledTables: readonly FollowedTable[] = [];
  /** When the event was made at which each table is stalled, by table; only those that this process tried. */
  readonly stalledSinceMs = new Map<string, number>();
  readonly places = new TablePositions();
  private partitions: Partitions = { count: 1, held: [] };
  /** Everything up to this position is in the tables, or was before they were read. */
  private passed = 0;
  /** Number of changes of the list of tables. */
  changes = 0;

  constructor(
    private readonly database: Database,
    private readonly owners: StreamOwners,
    private readonly program: Program,
    private readonly probe: Probe,
  ) {}

  /** Reads which tables to follow, and their positions. @param retries whether stalled tables are included */
  async begin(partitions: Partitions, retries: boolean): Promise<void> {
    this.partitions = partitions;
    await this.load(retries);
    this.passed = this.lowest;
  }

  /** Position of each moving table: that of its slowest partition. */
  get positions(): ReadonlyMap<string, number> {
    return this.places.positions;
  }

  /** The position that all tables except the stalled ones have passed. */
  get lowest(): number {
    return this.tables.length === 0 ? 0 : Math.min(...this.tables.map(({ table }) => this.places.positionOf(table)));
  }

  /** That position, as it is announced to other processes. */
  get progress(): Progress {
    const { count, held } = this.partitions;
    return { program: this.program.program, position: this.lowest, count, held };
  }

  /** The lowest position of each read model's tables. */
  get progressOfEach(): ReadonlyMap<string, number> {
    return lowestOfEach(this.tables, this.places.positions);
  }

  get names(): readonly string[] {
    return this.tables.map(({ table }) => table);
  }

  /** Read models that are stalled at an event. */
  get stalled(): readonly string[] {
    return [...new Set(this.stalledTables.map(({ projection }) => projection.name))];
  }

  stop(): void {
    this.places.clear();
    this.stalledSinceMs.clear();
    this.stalledTables = [];
  }

  /** Stores the changes of a batch. Returns whether anything moved. Throws Unavailable, and Overtaken if it has to start over. */
  async move(given: EventBatch): Promise<boolean> {
    const batch = await this.ownOf(given);
    for (let reloads = 0; ; reloads += 1) {
      try {
        // A table that does not exist may have been removed, until the list of tables has been read again.
        return await this.moveAll(batch, reloads > 0);
      } catch (error) {
        this.known.clear();
        if (!hasMoved(error) && !isMissingTable(error)) throw error;
        if (reloads === reloadsMax) throw new Overtaken(String(error));
        await this.load(false);
        if (this.lowest < this.passed) throw new Overtaken(String(error));
      }
    }
  }

  /** The events whose owners are in the partitions that this projector holds. */
  private async ownOf({ events, upTo }: EventBatch): Promise<Events> {
    const partitionOf = await this.owners.partitionsOf(events, this.partitions.count);
    return { events: events.filter((event) => this.partitions.held.includes(partitionOf(event))), upTo, partitionOf };
  }

  private async load(retries: boolean): Promise<void> {
    this.changes += 1;
    this.known.clear();
    const found = await followTables(this.database, this.program, this.partitions, retries);
    this.tables = found.filter(({ stalled }) => stalled === null);
    this.stalledTables = found.filter(({ stalled }) => stalled !== null);
    this.places.clear();
    for (const { table, positions } of found) this.places.track(table, positions);
  }

  /** Moves a stalled table apart from the others. Returns whether it took all of the batch. Throws as `move`. */
  async moveStalled(table: FollowedTable, given: EventBatch): Promise<boolean> {
    const batch = await this.ownOf(given);
    try {
      return await this.moveAlone(table, batch);
    } catch (error) {
      if (!(error instanceof TookTooLong)) throw error;
      return this.stallAtFirst(table, batch, error);
    }
  }

  private async moveAll(batch: Events, canBeGone: boolean): Promise<boolean> {
    const behind = this.tables.filter(({ table }) => this.places.positionOf(table) < batch.upTo);
    if (behind.length > 0) {
      this.probe.reached('projection:before-commit');
      await this.moveTables(behind, batch).catch(async (error: unknown) => {
        if (!isTableError(error) || (isMissingTable(error) && !canBeGone)) throw error;
        this.known.clear();
        await this.moveEach(behind, batch);
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
    for (const { table } of behind) this.places.advance(table, batch.upTo);
  }

  /** Moves each table by itself, so that one that cannot be written stalls alone. Throws if none can be written in time. */
  private async moveEach(behind: readonly FollowedTable[], batch: Events): Promise<void> {
    const late: { readonly table: FollowedTable; readonly error: TookTooLong }[] = [];
    for (const table of behind)
      await this.moveAlone(table, batch).catch((error: unknown) => {
        if (!(error instanceof TookTooLong)) throw error;
        late.push({ table, error });
      });
    for (const { table, error } of late) {
      if (late.length === behind.length) throw error;
      // The lock that all tables wait for may have been held only until the others were written.
      await this.moveStalled(table, batch);
    }
  }

  /**
   * Moves one table as far as possible: up to the event that cannot be applied, found by bisection. Returns whether it took everything.
   * Throws TookTooLong if PostgreSQL cancelled a statement, because that is not the fault of an event.
   */
  private async moveAlone(table: FollowedTable, batch: Events): Promise<boolean> {
    try {
      await this.moveTables([table], batch);
      return true;
    } catch (error) {
      if (error instanceof TookTooLong || !isTableError(error)) throw error;
      const news = this.newsOf(table, batch);
      const half = news.slice(0, Math.ceil(news.length / 2));
      const last = half.at(-1);
      if (last === undefined) throw error;
      if (news.length === 1) return this.stall(table, last, error);
      const isOn = await this.moveAlone(table, { ...batch, events: half, upTo: last.position });
      return isOn && (await this.moveAlone(table, { ...batch, events: news }));
    }
  }

  private async stallAtFirst(table: FollowedTable, batch: Events, error: TookTooLong): Promise<false> {
    const [first] = this.newsOf(table, batch);
    if (first === undefined) throw error;
    return this.stall(table, first, error);
  }

  private async stall(table: FollowedTable, event: StoredEvent, error: unknown): Promise<false> {
    this.known.clear();
    const { stream, revision, position } = event;
    this.stalledSinceMs.set(table.table, mintedAtMs(event.id));
    const stalled: Stall = { stream, revision, position, error: rootCauseText(error) };
    const { stalled: before } = this.stalledTables.find((one) => one.table === table.table) ?? { stalled: null };
    if (before?.position === position && before.error === stalled.error) return false;
    await recordStall(this.database, this.program, table.table, stalled);
    this.logger.error(
      `${table.table} is stalled at event ${revision} of ${stream}, which it cannot apply: ${stalled.error}`,
    );
    this.tables = this.tables.filter((one) => one.table !== table.table);
    this.stalledTables = [...this.stalledTables.filter((one) => one.table !== table.table), { ...table, stalled }];
    this.changes += 1;
    return false;
  }

  private async changesOf(table: FollowedTable, batch: Events): Promise<BatchChanges> {
    const select: Select = (sql, parameters) => this.database.query(sql, parameters);
    return foldBatch(select, table, this.newsOf(table, batch), this.known);
  }

  private newsOf({ table }: FollowedTable, { events, partitionOf }: Events): StoredEvent[] {
    return events.filter((event) => event.position > this.places.positionIn(table, partitionOf(event)));
  }

  /** Stores the changes of a batch and moves the tables; does neither if they are not where this projector left them. */
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
      const rate = this.rates.after(table, changes[index]?.events ?? 0) / held.length;
      return this.places.behind(table, upTo).map(([partition, position]) => ({ table, partition, position, rate }));
    });
    const tables = behind.map(({ table }) => table);
    const lowest = Math.min(...this.names.map((name) => (tables.includes(name) ? upTo : this.places.positionOf(name))));
    const payload = payloadOf({ ...this.progress, position: lowest });
    return moving(this.program.program, this.names, { moves, count, upTo, channel: projectedChannel, payload });
  }
}
