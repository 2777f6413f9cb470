import { idInStream } from '@app/event-store';
import { unreachable } from '@app/kernel';
import type { Projection } from '@app/read-store';
import { BudgetEntryRow } from './budget-entry.row';
import type { BudgetEvent, SegmentEvent } from './budget.events';
import { budgetKind } from './budget.stream';

/** One row for each event that moved cents. */
export const budgetEntriesProjection: Projection<BudgetEntryRow, BudgetEvent> = {
  name: 'budget_entries',
  version: 1,
  row: BudgetEntryRow,
  kinds: [budgetKind],
  keyOf: ({ id, event }) => (isOfSegment(event) && movesCents(event) ? id : null),
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

/** A segment that held nothing any more and cost nothing explains no cent. */
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
