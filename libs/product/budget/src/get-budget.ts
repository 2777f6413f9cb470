import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { UserId } from '@app/kernel';
import type { BudgetView } from './budget.view';
import { Budgets } from './budgets';

/** The headroom that admission checks, folded from the stream, so that it is never out of date. @throws Unavailable */
export class GetBudget extends Query<BudgetView> {
  constructor(readonly userId: UserId) {
    super();
  }
}

@QueryHandler(GetBudget)
export class GetBudgetHandler implements IQueryHandler<GetBudget> {
  constructor(private readonly budgets: Budgets) {}

  async execute({ userId }: GetBudget): Promise<BudgetView> {
    return this.budgets.headroom(userId);
  }
}
