import { idInStream } from '@app/event-store';
import { unreachable } from '@app/kernel';
import { migration, type Projection, type ReadModelRow } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { BudgetEvent, SegmentEvent } from './budget.events';
import { segmentKey } from './budget.state';
import { budgetKind } from './budget.stream';

/** The state of one run segment's reservation, by which a watchdog finds those that were not released. */
@Entity('budget_reservations')
class BudgetReservationRow {
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

const budgetReservationsMigrations = [
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
const budgetReservationsProjection: Projection<BudgetReservationRow, BudgetEvent> = {
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

/** The cents that one event of a budget moved in its day and month; shown as one entry for each amount that is not 0. */
@Entity('budget_entries')
export class BudgetEntryRow implements ReadModelRow {
  /** The event's id. */
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

const budgetEntriesMigrations = [
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

/** One row for each event that moved cents. */
export const budgetEntriesProjection: Projection<BudgetEntryRow, BudgetEvent> = {
  name: 'budget_entries',
  version: 1,
  row: BudgetEntryRow,
  kinds: [budgetKind],
  keyOf: ({ id, event }) => (isOfSegment(event) && movesCents(event) ? id : null),
  isFirst: () => true,
  project: (_, { id, stream, position, event }) => {
    const userId = idInStream(budgetKind, stream);
    if (userId === null || !isOfSegment(event)) return null;
    const { runId, day, month, at } = event;
    return { id, userId, runId, day, month, at, ...movedBy(event), position };
  },
};

function isOfSegment(event: BudgetEvent): event is SegmentEvent {
  return 'segment' in event;
}

/** A segment that held nothing and cost nothing has no entry. */
function movesCents(event: SegmentEvent): boolean {
  return Object.values(movedBy(event)).some((cents) => cents > 0);
}

type Moved = Pick<BudgetEntryRow, 'reservedCents' | 'releasedCents' | 'spentCents'>;

function movedBy(event: SegmentEvent): Moved {
  switch (event.type) {
    case 'budget.reserved':
      return { reservedCents: event.amountCents, releasedCents: 0, spentCents: 0 };
    case 'budget.spent':
      return { reservedCents: 0, releasedCents: event.releasedCents, spentCents: event.amountCents };
    case 'budget.released':
      return { reservedCents: 0, releasedCents: event.amountCents, spentCents: 0 };
    default:
      return unreachable(event);
  }
}

/** The slice's tables and projections in PostgreSQL. */
export const budgetReadModel = {
  rows: [BudgetReservationRow, BudgetEntryRow],
  migrations: [...budgetReservationsMigrations, ...budgetEntriesMigrations],
  projections: [budgetReservationsProjection, budgetEntriesProjection],
};
