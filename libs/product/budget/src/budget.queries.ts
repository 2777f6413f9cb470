import { Injectable } from '@nestjs/common';
import type { UserId } from '@app/kernel';
import { Database, ReadGate, selectList } from '@app/read-store';
import { BudgetEntryRow } from './budget-entries.projection';
import { booked, entriesOf, isAfter, type BookedRow, type BudgetEntry, type EntryPlace } from './budget-entries';

/** A UTC day (`2026-03-01`) or month (`2026-03`). */
export interface Period {
  readonly kind: 'day' | 'month';
  readonly name: string;
}

/** What is read of budgets in PostgreSQL. */
@Injectable()
export class BudgetQueries {
  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
  ) {}

  /**
   * The first entries of a period, newest first, strictly after a place in it; at least `limit` of them where there are so many.
   * Without a place the read models catch up first, since the snapshot that is explained is folded from the stream.
   */
  async entries(
    userId: UserId,
    period: Period,
    after: EntryPlace | null,
    limit: number,
  ): Promise<(BudgetEntry & EntryPlace)[]> {
    if (after === null) await this.gate.caughtUp();
    const column = { day: 'day', month: 'month' }[period.kind];
    const rows = await this.database.query<BookedRow>(
      `SELECT ${selectList(BudgetEntryRow, booked)} FROM budget_entries
       WHERE user_id = $1 AND ${column} = $2 AND position <= $3 ORDER BY position DESC LIMIT $4`,
      // One row more: all entries of the one at the place may have been listed.
      [userId, period.name, after?.position ?? Number.MAX_SAFE_INTEGER, limit + 1],
    );
    return entriesOf(rows).filter((entry) => after === null || isAfter(entry, after));
  }
}
