import { unreachable } from '@app/kernel';
import { idInStream } from '@app/event-store';
import type { Projection } from '@app/read-store';
import { BudgetReservationRow } from './budget-reservation.row';
import type { BudgetEvent } from './budget.events';
import { segmentKey } from './budget.state';
import { budgetKind } from './budget.stream';

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
        // A raise does not make the reservation younger.
        const at = row?.status === 'open' ? row.at : event.at;
        return { reservationKey: segmentKey(event), userId, runKey, runId, segment, status: 'open', at, position };
      }
      case 'budget.spent':
      case 'budget.released':
        return row && { ...row, status: 'closed', position };
      case 'budget.frozen':
      case 'budget.unfrozen':
      case 'budget.caps_set':
        return row;
      default:
        return unreachable(event);
    }
  },
};
