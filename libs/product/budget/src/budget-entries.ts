import type { BudgetEntryRow } from './budget-entries.projection';

/** An entry that explains a part of a snapshot (docs/decisions/money.md, `budget.entries`). */
export interface BudgetEntry {
  readonly at: string;
  readonly runId: string;
  readonly kind: 'reserved' | 'spent' | 'released';
  /** Above 0. */
  readonly amountCents: number;
}

/** The sort key of an entry; lists are newest first, so both numbers decrease from page to page. */
export interface EntryPlace {
  readonly position: number;
  /** Within one event, the entry that is listed first has the highest number. */
  readonly part: number;
}

/** The columns of a row that its entries are computed from. */
export const booked = ['runId', 'at', 'reservedCents', 'releasedCents', 'spentCents', 'position'] as const;
export type BookedRow = Pick<BudgetEntryRow, (typeof booked)[number]>;

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
