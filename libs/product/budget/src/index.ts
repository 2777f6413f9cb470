export { BudgetModule, budgetReadModel } from './budget.module';
export { Budgets, type SegmentSpend } from './budgets';
export { budgetGroup } from './budget.contract';
