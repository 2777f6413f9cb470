import { migration } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What one run segment has reserved, so that a watchdog finds what nobody gives back. */
@Entity('budget_reservations')
export class BudgetReservationRow {
  /** `<runKey>/<segment>`. */
  @PrimaryColumn('text') reservationKey: string;
  @Column('uuid') userId: string;
  @Column('uuid') runKey: string;
  @Column('uuid') runId: string;
  @Column('integer') segment: number;
  @Column('text') status: 'open' | 'closed';
  /** When it was opened, or opened again; service clock. */
  @Column('text') at: string;
  @Column('bigint') position: number;
}

export const budgetReservationsMigrations = [
  migration(
    300,
    'CreateBudgetReservations',
    `
      CREATE TABLE budget_reservations (
        reservation_key text PRIMARY KEY, user_id uuid NOT NULL, run_key uuid NOT NULL, run_id uuid NOT NULL,
        segment integer NOT NULL, status text NOT NULL, at text NOT NULL, position bigint NOT NULL);
      CREATE INDEX budget_reservations_open ON budget_reservations (position) WHERE status = 'open';
    `,
  ),
];
