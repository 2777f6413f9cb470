import { Module } from '@nestjs/common';
import { budgetEntriesMigrations, budgetEntriesProjection, BudgetEntryRow } from './budget-entries.projection';
import { BudgetController, budgetHandlers } from './budget.controller';
import { Budgets } from './budgets';
import {
  BudgetReservationRow,
  budgetReservationsMigrations,
  budgetReservationsProjection,
} from './budget-reservation.projection';

/** What users may spend, hold and have spent. */
@Module({
  controllers: [BudgetController],
  providers: [...budgetHandlers, Budgets],
  exports: [Budgets],
})
export class BudgetModule {}

/** What the slice keeps in PostgreSQL. */
export const budgetReadModel = {
  rows: [BudgetReservationRow, BudgetEntryRow],
  migrations: [...budgetReservationsMigrations, ...budgetEntriesMigrations],
  projections: [budgetReservationsProjection, budgetEntriesProjection],
};
