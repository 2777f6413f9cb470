export { BudgetModule } from './budget.module';
export { Budgets, FreezeBudget, GetBudget, SetCaps, UnfreezeBudget, type SegmentSpend } from './budgets';
export { freezeEvents, type BudgetEvent } from './budget.events';
export { budgetGroup } from './budget.contract';
export { amountCentsMax, budgetDecider, type BudgetCommand } from './budget.decider';
export { initialBudget, type BudgetState } from './budget.state';
export { Budget } from './budget.schema';
export { budgetKind } from './budget.stream';
export { budgetReadModel } from './budget.projection';
