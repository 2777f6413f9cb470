import { Logger } from '@nestjs/common';
import type { EventBatch, StoredEvent } from '@app/event-store';
import { Unavailable } from '@app/kernel';
import type { Probe } from '@app/runtime';
import { DatabaseError } from 'pg';
import type { Database } from './database';
import { followTables, type FollowedTable, type Program, type Stall } from './followed-tables';
import { KnownRows } from './known-rows';
import { tablesChannel } from './live-tables';
import { overtakenCode, tablesChangedCode } from './migrations';
import { bumpCounters, foldBatch, upsertOf, type BatchChanges, type Select } from './projection-batch';
import { refusesRow } from './table-making';

/** The channel on which a projector says how far its read models are: `<program>:<position>`. */
export const projectedChannel = 'parley_read_models';

/** Of what PostgreSQL answers: tables are not where they were left, are not these, or are gone. */
const movedCodes: ReadonlySet<string> = new Set([overtakenCode, tablesChangedCode, '42P01']);
const reloadsMax = 3;

/**
 * The tables were moved by another projector, or there are others to follow, which are not as far as what was passed. The same batch would
 * leave something out; starting over reads where the tables are now.
 */
export class Overtaken extends Error {}

/** Moves the tables that this program follows from batch to batch; rows, counters and places are one transaction. */
export class TableMover {
  /** Where each table stands that moves. */
  readonly positions = new Map<string, number>();
  private readonly logger = new Logger(TableMover.name);
  private readonly known = new KnownRows();
  private tables: readonly FollowedTable[] = [];
  private stalls: readonly FollowedTable[] = [];
  /** All that is not further is in the tables, or was before they were looked at. */
  private passed = 0;
  /** How often the list of tables has changed. */
  changes = 0;

  constructor(
    private readonly database: Database,
    private readonly program: Program,
    private readonly probe: Probe,
  ) {}

  /** Looks which tables are to be followed, and where they are: events come from there. @param retries those that are stalled, too */
  async begin(retries: boolean): Promise<void> {
    await this.load(retries);
    this.passed = this.lowest;
  }

  /** The position that all tables have passed which are not stalled. */
  get lowest(): number {
    return this.tables.length === 0 ? 0 : Math.min(...this.positions.values());
  }

  /** The same for each read model. */
  get progress(): ReadonlyMap<string, number> {
    const progress = new Map<string, number>();
    for (const { projection, table } of this.tables) {
      const position = this.positions.get(table);
      if (position === undefined) continue;
      progress.set(projection.name, Math.min(position, progress.get(projection.name) ?? position));
    }
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
    this.positions.clear();
    this.stalls = [];
  }

  /** Stores what a batch comes to. Answers whether anything moved. Throws Unavailable, and Overtaken where it has to start over. */
  async move(batch: EventBatch): Promise<boolean> {
    for (let reloads = 0; ; reloads += 1) {
      try {
        return await this.moveAll(batch);
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
    const found = await followTables(this.database, this.program, retries);
    this.tables = found.filter(({ stalled }) => stalled === null);
    this.stalls = found.filter(({ stalled }) => stalled !== null);
    this.positions.clear();
    for (const { table, position } of this.tables) this.positions.set(table, position);
  }

  private async moveAll({ events, upTo }: EventBatch): Promise<boolean> {
    const behind = this.tables.filter(({ table }) => this.positionOf(table) < upTo);
    if (behind.length > 0) {
      this.probe.reached('projection:before-commit');
      await this.moveTables(behind, events, upTo).catch(async (error: unknown) => {
        if (!isOfAnEvent(error)) throw error;
        this.known.forget();
        for (const table of behind) await this.moveAlone(table, events, upTo);
      });
      this.probe.reached('projection:after-commit');
    }
    this.passed = Math.max(this.passed, upTo);
    return behind.length > 0;
  }

  private async moveTables(behind: readonly FollowedTable[], events: readonly StoredEvent[], upTo: number) {
    const changes = await Promise.all(behind.map((table) => this.changesOf(table, events)));
    await this.keepAll(changes, behind, upTo);
    for (const { keep } of changes) keep();
    for (const { table } of behind) this.positions.set(table, upTo);
  }

  /** Moves one table as far as it can be moved: up to the event that cannot be applied, which half after half of the events leads to. */
  private async moveAlone(table: FollowedTable, events: readonly StoredEvent[], upTo: number): Promise<void> {
    try {
      await this.moveTables([table], events, upTo);
    } catch (error) {
      if (!isOfAnEvent(error)) throw error;
      const news = events.filter(({ position }) => position > this.positionOf(table.table));
      const half = news.slice(0, Math.ceil(news.length / 2));
      const last = half.at(-1);
      if (last === undefined) throw error;
      if (news.length === 1) return this.stall(table, last, error);
      await this.moveAlone(table, half, last.position);
      if (this.tables.includes(table)) await this.moveAlone(table, news, upTo);
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
    this.positions.delete(table.table);
  }

  private async changesOf(table: FollowedTable, events: readonly StoredEvent[]): Promise<BatchChanges> {
    const from = this.positionOf(table.table);
    const news = events.filter(({ position }) => position > from);
    const select: Select = (sql, parameters) => this.database.query(sql, parameters);
    return foldBatch(select, table, news, this.known);
  }

  /** Stores what a batch comes to and moves the tables, or nothing of it where they are not where this projector left them. */
  private async keepAll(
    changes: readonly BatchChanges[],
    behind: readonly FollowedTable[],
    upTo: number,
  ): Promise<void> {
    const tables = behind.map(({ table }) => table);
    const expected = tables.map((table) => this.positionOf(table));
    const { program } = this.program;
    const lowest = Math.min(...this.names.map((table) => (tables.includes(table) ? upTo : this.positionOf(table))));
    const move = {
      text: 'SELECT move_read_models($1, $2, $3, $4, $5, $6, $7)',
      values: [program, this.names, tables, expected, upTo, projectedChannel, `${program}:${lowest}`],
    };
    const rows = changes.flatMap(({ readModel, rows: changed }) => upsertOf(readModel, changed));
    const counters = bumpCounters(changes.map(({ counters: of }) => of));
    await this.database.all([...rows, ...counters, move]);
  }

  private positionOf(table: string): number {
    return this.positions.get(table) ?? 0;
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
