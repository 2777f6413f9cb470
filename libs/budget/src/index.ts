export type { BudgetEvent, Segment } from './budget.events';
export { BudgetModule, budgetReadModel } from './budget.module';
export type { BudgetState, Caps } from './budget.state';
export { budgetKind } from './budget.stream';
export type { BudgetView, PeriodSnapshot } from './budget.view';
export { Budgets, type BudgetChange, type Held, type SegmentSpend } from './budgets';
