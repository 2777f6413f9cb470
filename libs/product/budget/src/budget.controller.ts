import { Controller, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { answer, Caller, Serves } from '@app/http';
import { readBudget, listBudgetEntries } from './budget.contract';
import { ListBudgetEntriesDto } from './budget.dto';
import type { BudgetEntryPage } from './budget.schema';
import type { BudgetView } from './budget.view';
import { GetBudget, GetBudgetHandler } from './get-budget';
import { ListBudgetEntries, ListBudgetEntriesHandler } from './list-budget-entries';

@Controller()
export class BudgetController {
  constructor(private readonly queries: QueryBus) {}

  @Serves(readBudget)
  async budget(@Caller() { userId }: Caller): Promise<BudgetView> {
    return this.queries.execute(new GetBudget(userId));
  }

  @Serves(listBudgetEntries)
  async entries(@Caller() { userId }: Caller, @Query() query: ListBudgetEntriesDto): Promise<BudgetEntryPage> {
    return answer(await this.queries.execute(new ListBudgetEntries(userId, query)));
  }
}

/** Handlers of the queries that the controller executes. */
export const budgetHandlers = [GetBudgetHandler, ListBudgetEntriesHandler];
