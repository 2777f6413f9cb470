import { Module } from '@nestjs/common';
import { BudgetController } from './budget.controller';
import { Budgets } from './budgets';
import { OpenReservations } from './open-reservations.queries';

/** What users may spend, hold and have spent. */
@Module({
  controllers: [BudgetController],
  providers: [Budgets, OpenReservations],
  exports: [Budgets, OpenReservations],
})
export class BudgetModule {}
