export { BudgetModule, budgetReadModel } from './budget.module';
export { Budgets, type SegmentSpend } from './budgets';
export { freezeEvents } from './budget.events';
export { budgetGroup } from './budget.contract';
