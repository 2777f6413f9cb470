import { Controller, Get } from '@nestjs/common';
import { Caller, Operation } from '@app/http';
import type { BudgetView } from './budget.view';
import { Budgets } from './budgets';

@Controller('v1/users/:userId/budget')
export class BudgetController {
  constructor(private readonly budgets: Budgets) {}

  /** The headroom that admission checks, folded from the stream, so that it is never behind. */
  @Get()
  @Operation('budget')
  async budget(@Caller() { userId }: Caller): Promise<BudgetView> {
    return this.budgets.headroom(userId);
  }
}
