import { idInStream } from '@app/event-store';
import { unreachable } from '@app/kernel';
import { migration, type Projection } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { BudgetEvent } from './budget.events';
import { segmentKey } from './budget.state';
import { budgetKind } from './budget.stream';

/** The state of one run segment's reservation, by which a watchdog finds those that were not released. */
@Entity('budget_reservations')
export class BudgetReservationRow {
  /** `<runKey>/<segment>`. */
  @PrimaryColumn('text') reservationKey: string;
  @Column('uuid') userId: string;
  @Column('uuid') runKey: string;
  @Column('uuid') runId: string;
  @Column('integer') segment: number;
  @Column('text') status: 'open' | 'closed';
  /** When it was opened, or opened again, by the service clock. */
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

/** One row for each run segment that ever reserved. */
export const budgetReservationsProjection: Projection<BudgetReservationRow, BudgetEvent> = {
  name: 'budget_reservations',
  version: 1,
  row: BudgetReservationRow,
  kinds: [budgetKind],
  keyOf: ({ event }) => ('segment' in event ? segmentKey(event) : null),
  project: (row, { stream, position, event }) => {
    switch (event.type) {
      case 'budget.reserved': {
        const userId = idInStream(budgetKind, stream);
        if (userId === null) return row;
        const { runKey, runId, segment } = event;
        // A raise keeps the time of the first reservation.
        const at = row?.status === 'open' ? row.at : event.at;
        return { reservationKey: segmentKey(event), userId, runKey, runId, segment, status: 'open', at, position };
      }
      case 'budget.spent':
      case 'budget.released':
        return row && { ...row, status: 'closed', position };
      case 'budget.frozen':
      case 'budget.unfrozen':
      case 'budget.caps_set':
      case 'budget.exhausted':
        return row;
      default:
        return unreachable(event);
    }
  },
};
