import { budgetReservationsProjection } from './budget-reservation.projection';
import { BudgetReservationRow, CreateBudgetReservations1700000000300 } from './budget-reservation.row';

export type { BudgetEvent, Segment } from './budget.events';
export { BudgetModule } from './budget.module';
export type { BudgetState, Caps } from './budget.state';
export { budgetKind } from './budget.stream';
export type { BudgetView, PeriodSnapshot } from './budget.view';
export { Budgets, type BudgetChange, type Held, type SegmentSpend } from './budgets';
export { OpenReservations, type OpenReservation } from './open-reservations.queries';

/** What the composition root gives to the read store. */
export const budgetReadModel = {
  rows: [BudgetReservationRow],
  migrations: [CreateBudgetReservations1700000000300],
  projections: [budgetReservationsProjection],
};
