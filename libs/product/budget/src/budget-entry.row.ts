import { migration, type ReadModelRow } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What one event of a budget moved in its day and month; read as one entry for each amount that is not 0. */
@Entity('budget_entries')
export class BudgetEntryRow implements ReadModelRow {
  /** The event's. */
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') userId: string;
  @Column('uuid') runId: string;
  /** The UTC day and month that it is booked into, which may be earlier than `at`. */
  @Column('text') day: string;
  @Column('text') month: string;
  @Column('text') at: string;
  @Column('bigint') reservedCents: number;
  @Column('bigint') releasedCents: number;
  @Column('bigint') spentCents: number;
  @Column('bigint') position: number;
}

export const budgetEntriesMigrations = [
  migration(
    640,
    'CreateBudgetEntries',
    `
      CREATE TABLE budget_entries (
        id uuid PRIMARY KEY, user_id uuid NOT NULL, run_id uuid NOT NULL, day text NOT NULL, month text NOT NULL, at text NOT NULL,
        reserved_cents bigint NOT NULL, released_cents bigint NOT NULL, spent_cents bigint NOT NULL, position bigint NOT NULL);
      CREATE INDEX budget_entries_of_day ON budget_entries (user_id, day, position DESC);
      CREATE INDEX budget_entries_of_month ON budget_entries (user_id, month, position DESC);
    `,
  ),
];
