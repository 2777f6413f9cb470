import { Module } from '@nestjs/common';
import { BudgetController } from './budget.controller';
import { Budgets } from './budgets';
import { budgetReservationsProjection } from './budget-reservation.projection';
import { BudgetReservationRow, CreateBudgetReservations1700000000300 } from './budget-reservation.row';

/** What users may spend, hold and have spent. */
@Module({
  controllers: [BudgetController],
  providers: [Budgets],
  exports: [Budgets],
})
export class BudgetModule {}

/** What the slice keeps in PostgreSQL. */
export const budgetReadModel = {
  rows: [BudgetReservationRow],
  migrations: [CreateBudgetReservations1700000000300],
  projections: [budgetReservationsProjection],
};
