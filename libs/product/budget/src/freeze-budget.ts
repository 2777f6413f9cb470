import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Result } from '@app/kernel';
import { Budgets, type BudgetChange } from './budgets';

/**
 * Freezes a user: no run starts any more and runs end at their next step, whatever the caps. For operators. Idempotent.
 * @throws Unavailable
 */
export class FreezeBudget extends Command<Result<void>> {
  constructor(readonly change: BudgetChange) {
    super();
  }
}

@CommandHandler(FreezeBudget)
export class FreezeBudgetHandler implements ICommandHandler<FreezeBudget> {
  constructor(private readonly budgets: Budgets) {}

  async execute({ change }: FreezeBudget): Promise<Result<void>> {
    return this.budgets.freeze(change);
  }
}
