import { Controller, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { answer, Caller, Serves } from '@app/http';
import * as contract from './budget.contract';
import type { BudgetEntryPage, BudgetView } from './budget.schema';
import { GetBudget } from './budgets';
import { ListBudgetEntries } from './list-budget-entries';

@Controller()
export class BudgetController {
  constructor(private readonly queries: QueryBus) {}

  @Serves(contract.readBudget)
  async budget(@Caller() { userId }: Caller): Promise<BudgetView> {
    return this.queries.execute(new GetBudget(userId));
  }

  @Serves(contract.listBudgetEntries)
  async entries(@Caller() { userId }: Caller, @Query() query: contract.ListBudgetEntriesDto): Promise<BudgetEntryPage> {
    return answer(await this.queries.execute(new ListBudgetEntries(userId, query)));
  }
}
