import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Result } from '@app/kernel';
import { Budgets, type BudgetChange } from './budgets';

/** Lifts the freeze: reservations are checked against the caps again. For operators. Idempotent. @throws Unavailable */
export class UnfreezeBudget extends Command<Result<void>> {
  constructor(readonly change: BudgetChange) {
    super();
  }
}

@CommandHandler(UnfreezeBudget)
export class UnfreezeBudgetHandler implements ICommandHandler<UnfreezeBudget> {
  constructor(private readonly budgets: Budgets) {}

  async execute({ change }: UnfreezeBudget): Promise<Result<void>> {
    return this.budgets.unfreeze(change);
  }
}
