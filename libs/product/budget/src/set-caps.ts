import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Result } from '@app/kernel';
import type { Caps } from './budget.state';
import { Budgets, type BudgetChange } from './budgets';

/**
 * Replaces the configured caps by these for the user. For operators. Idempotent. Refuses with `invalid_input`.
 * @throws Unavailable
 */
export class SetCaps extends Command<Result<void>> {
  constructor(
    readonly change: BudgetChange,
    readonly caps: Caps,
  ) {
    super();
  }
}

@CommandHandler(SetCaps)
export class SetCapsHandler implements ICommandHandler<SetCaps> {
  constructor(private readonly budgets: Budgets) {}

  async execute({ change, caps }: SetCaps): Promise<Result<void>> {
    return this.budgets.setCaps(change, caps);
  }
}
