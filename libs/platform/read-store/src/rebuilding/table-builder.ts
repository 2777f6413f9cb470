import type { CategoriesPage, EventStore, StoredEvent } from '@app/event-store';
import { Unavailable } from '@app/kernel';
import type { Probe } from '@app/runtime';
import { setImmediate as yieldTurn, setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import type { Building, Pace } from './building';
import { BuildingRows } from './building-rows';
import type { BuildingSession } from './building-session';
import { copyIn } from './copy-in';
import type { Program } from '../projecting/followed-tables';
import { divide } from '../partitions/places';
import { categoriesOf } from '../read-models/projection';
import { bumpCounters, countersOf, foldBatch, upsertOf } from '../read-models/projection-batch';
import { endRebuild, reportProgress } from '../tables/rebuild';
import { RebuildCourse } from './rebuild-course';
import { Throttle } from './throttle';
import { lockTables, refusesTable } from '../tables/table-making';
import { answering } from '../postgres/postgres-errors';

/** Share of the usual batch sizes while requests wait for the same stores and processors. */
const busyPart = 1 / 8;

/** Events that are folded before other work of the process gets its turn. */
const turnEvents = 500;
/** Rows of this many bytes are written before more are folded. */
const unwrittenBytesMax = 32_000_000;
/** Maximum number of events still to be folded at the hand-over, while the projector waits. */
const handOverEventsMax = 2_000;
/** How often the store's end is read and progress is recorded. */
const reportEveryMs = 1_000;
const handOverAgainMs = 20;
const uniqueViolation = '23505';

/** Another process has moved or discarded the table that is being built. */
class BuildingTaken extends Error {}

/** Fills tables from the beginning of the store, all in one reading of it, from wherever each was left. */
export class TableBuilder {
  private readonly rows = new BuildingRows();
  private readonly throttle = new Throttle();
  private readonly handed = new Set<Building>();
  private readonly categories: readonly string[];
  private readonly course: RebuildCourse;
  private isHandingOver = false;
  private reportedMs = 0;
  private eventsUnwritten = 0;

  constructor(
    private readonly session: BuildingSession,
    private readonly store: EventStore,
    private readonly tables: readonly Building[],
    private readonly program: Program,
    private readonly probe: Probe,
    private readonly pace: Pace,
    head: number,
  ) {
    this.categories = categoriesOf(tables.map(({ projection }) => projection));
    this.course = new RebuildCourse(Math.min(...tables.map(({ folded }) => folded)), head);
  }

  /** Folds everything that is in the store by now. Throws Unavailable, BuildingTaken, and when the signal aborts. */
  async fold(signal: AbortSignal): Promise<void> {
    if (this.going.length === 0) return;
    let page = await this.read(Math.min(...this.going.map(({ folded }) => folded)));
    for (;;) {
      signal.throwIfAborted();
      await this.report();
      if (!this.isInHaste) await this.throttle.pause(this.course.isTooSlow);
      const next = page.more ? this.read(page.upTo) : null;
      next?.catch(() => undefined); // it is awaited below, unless this page fails
      for (const table of this.going) await this.take(table, page.events, page.upTo);
      this.course.passed(page.upTo, page.events.length);
      this.eventsUnwritten += page.events.length;
      if (this.isMuch || next === null) await this.writeAll();
      if (next === null) return;
      page = await next;
    }
  }

  /**
   * Hands a table over to the projector. While the projector waits, the table is brought to the position of the followed tables, and is one
   * of them from then on. Throws as `fold`.
   */
  async handOver(table: Building, signal: AbortSignal): Promise<void> {
    this.isHandingOver = true; // a pause would let more be appended than a hand-over takes
    while (table.failure === null) {
      await this.fold(signal);
      if (table.failure !== null || (await this.tryHandOver(table))) return;
      await sleep(handOverAgainMs, undefined, { signal });
    }
  }

  private get going(): Building[] {
    return this.tables.filter((table) => table.failure === null && !this.handed.has(table));
  }

  private get isMuch(): boolean {
    return this.rows.unwrittenBytes > unwrittenBytesMax || this.eventsUnwritten >= this.atOnce(this.pace.writtenEvents);
  }

  private read(after: number): Promise<CategoriesPage> {
    return this.store.readCategories(this.categories, after, this.atOnce(this.pace.pageEvents));
  }

  private get isInHaste(): boolean {
    return this.isHandingOver || this.pace.kind === 'full';
  }

  private atOnce(events: number): number {
    const isSmall = this.throttle.isBusy && !this.isInHaste && !this.course.isTooSlow;
    return isSmall ? Math.ceil(events * busyPart) : events;
  }

  /** Records how far the rebuilds are from the store's end, once a second. Throws Unavailable. */
  private async report(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.reportedMs < reportEveryMs) return;
    this.reportedMs = nowMs;
    this.course.appended(await this.store.endPositionOf(this.categories), nowMs);
    const ids = this.going.map(({ rebuildId }) => rebuildId);
    await reportProgress(this.session.execute, ids, this.course);
  }

  private async take(table: Building, events: readonly StoredEvent[], upTo: number): Promise<void> {
    const news = events.filter(({ position }) => position > table.folded && position <= upTo);
    for (let from = 0; from < news.length; from += turnEvents) {
      await this.takeTurn(table, news.slice(from, from + turnEvents));
      if (table.failure !== null) return;
      await yieldTurn();
    }
    table.folded = Math.max(table.folded, upTo);
  }

  private async takeTurn(table: Building, turn: readonly StoredEvent[]): Promise<void> {
    try {
      this.rows.take(await foldBatch(this.session.execute, table, turn, this.rows));
      table.folded = turn.at(-1)?.position ?? table.folded;
    } catch (error) {
      if (error instanceof Unavailable) throw error;
      const [first] = turn;
      if (turn.length === 1 && first !== undefined)
        return this.fail(table, `event ${first.revision} of ${first.stream}: ${String(error)}`);
      for (const event of turn) if (table.failure === null) await this.takeTurn(table, [event]);
    }
  }

  private fail(table: Building, failure: string): void {
    table.failure = failure;
    this.rows.settle(table.table);
  }

  /** Gives this table up, because a retry would be refused as well; the others continue. */
  private failWith(table: Building, error: unknown): void {
    if (!refusesTable(error)) throw error;
    this.fail(table, `${error.message}${error.detail === undefined ? '' : ` (${error.detail})`}`);
  }

  private async writeAll(): Promise<void> {
    this.eventsUnwritten = 0;
    for (const table of this.going) {
      if (table.folded === table.position) continue;
      this.probe.reached('rebuild:before-commit');
      await this.writeOne(table);
      this.probe.reached('rebuild:after-commit');
    }
  }

  private async writeOne(table: Building): Promise<void> {
    try {
      await this.session
        .transaction(() => this.write(table, true))
        .catch((error: unknown) => {
          if (!(error instanceof DatabaseError && error.code === uniqueViolation)) throw error;
          // A projection wrongly reported an event as the first one of its key.
          return this.session.transaction(() => this.write(table, false));
        });
      this.written(table);
    } catch (error) {
      this.failWith(table, error);
    }
  }

  private written(table: Building): void {
    this.rows.settle(table.table);
    table.position = table.folded;
  }

  private async write(table: Building, copies: boolean): Promise<void> {
    const { execute, client } = this.session;
    const rows = this.rows.unwritten(table.table);
    const fresh = copies ? rows.filter(({ before }) => before === null) : [];
    if (fresh.length > 0) await answering(() => copyIn(client, table, fresh));
    const others = copies ? rows.filter(({ before }) => before !== null) : rows;
    for (const { text, values } of [...upsertOf(table, others), ...bumpCounters([countersOf(table, rows)])])
      await execute(text, values);
    const moved = await execute(
      `UPDATE read_model_places AS p SET position = $2, moved_at = now() FROM read_model_tables AS t
       WHERE t.table_name = $1 AND t.state = 'building' AND p.table_name = $1 AND p.position = $3 RETURNING 1`,
      [table.table, table.folded, table.position],
    );
    if (moved.length === 0) throw new BuildingTaken(`${table.table} is built by another process, or not any more`);
  }

  private async tryHandOver(table: Building): Promise<boolean> {
    const { execute } = this.session;
    this.probe.reached('rebuild:before-commit');
    const handing = this.session.transaction(async () => {
      await lockTables(execute);
      const followed = await execute<{ position: number }>(
        `SELECT furthest AS position FROM read_model_positions JOIN read_model_tables USING (table_name)
         WHERE follower = $1 AND stalled IS NULL`,
        [this.program.program],
      );
      const upTo = Math.max(...followed.map(({ position }) => position), followed.length === 0 ? table.folded : 0);
      if (upTo < table.folded) {
        // This table is ahead of the followed ones. Either they still lag, or the events between concern none of them: check which.
        if ((await this.store.endPositionOf(categoriesOf(this.program.projections))) > upTo) return false;
        table.folded = upTo;
      }
      const page = await this.store.readCategories(this.categories, table.folded, handOverEventsMax);
      if (page.more && page.upTo < upTo) return false;
      await this.take(table, page.events, upTo);
      if (table.failure !== null) return true;
      await this.write(table, false);
      await this.follow(table);
      return true;
    });
    const handed = await handing.catch((error: unknown) => {
      this.failWith(table, error);
      return true;
    });
    if (handed && table.failure === null) {
      this.written(table);
      this.handed.add(table);
    }
    this.probe.reached('rebuild:after-commit');
    return handed;
  }

  /** Lets the projector follow the table; one of a new version also becomes live. */
  private async follow({ table, rebuildId, isOfNewVersion }: Building): Promise<void> {
    const { execute } = this.session;
    const { program } = this.program;
    const text = 'UPDATE read_model_tables SET state = $2, follower = $3 WHERE table_name = $1';
    await execute(text, [table, isOfNewVersion ? 'live' : 'ready', program]);
    await divide(execute, program);
    if (isOfNewVersion) await endRebuild(execute, rebuildId, 'switched');
    else await execute(`UPDATE read_model_rebuilds SET state = 'comparing' WHERE id = $1`, [rebuildId]);
  }
}
