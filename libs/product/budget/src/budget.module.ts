import { Module } from '@nestjs/common';
import { budgetEntriesMigrations, budgetEntriesProjection, BudgetEntryRow } from './budget-entries.projection';
import { BudgetController, budgetHandlers } from './budget.controller';
import { Budgets } from './budgets';
import { FreezeBudgetHandler } from './freeze-budget';
import { SetCapsHandler } from './set-caps';
import { UnfreezeBudgetHandler } from './unfreeze-budget';
import {
  BudgetReservationRow,
  budgetReservationsMigrations,
  budgetReservationsProjection,
} from './budget-reservation.projection';

/** The budgets of users: caps, reservations and spend. */
@Module({
  controllers: [BudgetController],
  providers: [...budgetHandlers, Budgets, FreezeBudgetHandler, SetCapsHandler, UnfreezeBudgetHandler],
  exports: [Budgets],
})
export class BudgetModule {}

/** The slice's tables and projections in PostgreSQL. */
export const budgetReadModel = {
  rows: [BudgetReservationRow, BudgetEntryRow],
  migrations: [...budgetReservationsMigrations, ...budgetEntriesMigrations],
  projections: [budgetReservationsProjection, budgetEntriesProjection],
};
