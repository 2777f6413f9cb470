import { Module } from '@nestjs/common';
import { BudgetController } from './budget.controller';
import { budgetHandlers, Budgets } from './budgets';
import { ListBudgetEntriesHandler } from './list-budget-entries';

/** The budgets of users: caps, reservations and spend. */
@Module({
  controllers: [BudgetController],
  providers: [...budgetHandlers, Budgets, ListBudgetEntriesHandler],
  exports: [Budgets],
})
export class BudgetModule {}
