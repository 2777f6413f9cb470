import { Module } from '@nestjs/common';
import { budgetEntriesProjection } from './budget-entries.projection';
import { BudgetEntryRow, CreateBudgetEntries1700000000640 } from './budget-entry.row';
import { BudgetController } from './budget.controller';
import { BudgetQueries } from './budget.queries';
import { Budgets } from './budgets';
import { budgetReservationsProjection } from './budget-reservation.projection';
import { BudgetReservationRow, CreateBudgetReservations1700000000300 } from './budget-reservation.row';

/** What users may spend, hold and have spent. */
@Module({
  controllers: [BudgetController],
  providers: [Budgets, BudgetQueries],
  exports: [Budgets],
})
export class BudgetModule {}

/** What the slice keeps in PostgreSQL. */
export const budgetReadModel = {
  rows: [BudgetReservationRow, BudgetEntryRow],
  migrations: [CreateBudgetReservations1700000000300, CreateBudgetEntries1700000000640],
  projections: [budgetReservationsProjection, budgetEntriesProjection],
};
