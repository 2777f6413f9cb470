import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Cursors, pageOf } from '@app/http';
import { ok, type Result, type UserId } from '@app/kernel';
import { Database, ReadGate, selectList } from '@app/read-store';
import { BudgetEntryRow } from './budget.projection';
import { BudgetEntryPage, type BudgetEntry } from './budget.schema';
import { ListBudgetEntriesDto } from './budget.contract';
import { Budgets } from './budgets';

/** The sort key of an entry; lists are newest first, so both numbers decrease from page to page. */
interface EntryPlace {
  readonly position: number;
  /** Within one event, the entry that is listed first has the highest number. */
  readonly part: number;
}

/** The columns of a row that its entries are computed from. */
const booked = ['runId', 'at', 'reservedCents', 'releasedCents', 'spentCents', 'position'] as const;
type BookedRow = Pick<BudgetEntryRow, (typeof booked)[number]>;

/** The entries of rows that are newest first: an event's `spent` precedes its `released`. */
export function entriesOf(rows: readonly BookedRow[]): (BudgetEntry & EntryPlace)[] {
  return rows.flatMap(({ at, runId, position, ...row }) => {
    const parts = [
      { kind: 'spent' as const, amountCents: row.spentCents },
      { kind: 'released' as const, amountCents: row.releasedCents },
      { kind: 'reserved' as const, amountCents: row.reservedCents },
    ];
    return parts
      .map((moved, index) => ({ at, runId, ...moved, position, part: parts.length - index }))
      .filter(({ amountCents }) => amountCents > 0);
  });
}

/** Whether an entry follows a sort key in a list that is newest first. */
export function isAfter(entry: EntryPlace, place: EntryPlace): boolean {
  return entry.position < place.position || (entry.position === place.position && entry.part < place.part);
}

/**
 * The entries that explain a snapshot to the cent, newest first: the sum of `reserved` less that of `released` is held,
 * and the sum of `spent` is spent. A list that was begun in a period stays in it, also past midnight. Refuses with
 * `invalid_cursor`.
 */
export class ListBudgetEntries extends Query<Result<BudgetEntryPage>> {
  constructor(
    readonly userId: UserId,
    readonly query: ListBudgetEntriesDto,
  ) {
    super();
  }
}

/** A UTC day (`2026-03-01`) or month (`2026-03`). */
interface Period {
  readonly kind: 'day' | 'month';
  readonly name: string;
}

@QueryHandler(ListBudgetEntries)
export class ListBudgetEntriesHandler implements IQueryHandler<ListBudgetEntries> {
  constructor(
    private readonly budgets: Budgets,
    private readonly database: Database,
    private readonly gate: ReadGate,
    private readonly cursors: Cursors,
  ) {}

  async execute({ userId, query }: ListBudgetEntries): Promise<Result<BudgetEntryPage>> {
    const { cursor, limit, periodKind: kind = 'day' } = query;
    const binding = { list: 'budget.entries', userId, filters: { periodKind: kind } };
    const keys = cursor === undefined ? ok(null) : this.cursors.read(binding, cursor);
    if (!keys.ok) return keys;
    const place = keys.value === null ? null : placeOf(keys.value);
    const name = place?.name ?? (await this.budgets.periods(userId))[kind];
    const entries = await this.entries(userId, { kind, name }, place, limit + 1);
    return ok(
      pageOf(
        entries,
        limit,
        ({ at, runId, kind: entryKind, amountCents }) => ({ at, runId, kind: entryKind, amountCents }),
        ({ position, part }) => this.cursors.mint(binding, [name, position, part]),
      ),
    );
  }

  /**
   * The first entries of a period, newest first, strictly after a sort key; at least `limit` of them if that many
   * exist. Without a cursor the read models catch up first, because the explained snapshot is folded from the stream.
   */
  private async entries(
    userId: UserId,
    period: Period,
    after: EntryPlace | null,
    limit: number,
  ): Promise<(BudgetEntry & EntryPlace)[]> {
    if (after === null) await this.gate.caughtUp();
    const column = { day: 'day', month: 'month' }[period.kind];
    const rows = await this.database.query<BookedRow>(
      `SELECT ${selectList(BudgetEntryRow, booked)} FROM {budget_entries}
       WHERE user_id = $1 AND ${column} = $2 AND position <= $3 ORDER BY position DESC LIMIT $4`,
      // One row more, because all entries of the row at the sort key may already be listed.
      [userId, period.name, after?.position ?? Number.MAX_SAFE_INTEGER, limit + 1],
    );
    return entriesOf(rows).filter((entry) => after === null || isAfter(entry, after));
  }
}

/** The sort keys that a cursor was minted with. */
function placeOf([name, position, part]: readonly unknown[]): EntryPlace & Pick<Period, 'name'> {
  return { name: String(name), position: Number(position), part: Number(part) };
}
