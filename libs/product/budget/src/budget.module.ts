import { Module } from '@nestjs/common';
import { budgetEntriesProjection } from './budget-entries.projection';
import { BudgetEntryRow, budgetEntriesMigrations } from './budget-entry.row';
import { BudgetController } from './budget.controller';
import { BudgetQueries } from './budget.queries';
import { Budgets } from './budgets';
import { budgetReservationsProjection } from './budget-reservation.projection';
import { BudgetReservationRow, budgetReservationsMigrations } from './budget-reservation.row';

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
  migrations: [...budgetReservationsMigrations, ...budgetEntriesMigrations],
  projections: [budgetReservationsProjection, budgetEntriesProjection],
};
