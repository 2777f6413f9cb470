import type { StreamKind } from '@app/event-store';
import { budgetDecider, type BudgetCommand } from './budget.decider';
import { budgetMembers, type BudgetEvent } from './budget.events';
import type { BudgetState } from './budget.state';

/** The stream `budget-<userId>`. */
export const budgetKind: StreamKind<BudgetState, BudgetCommand, BudgetEvent> = {
  category: 'budget',
  decider: budgetDecider,
  members: budgetMembers,
  stateVersion: 1,
};
