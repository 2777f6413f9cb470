import { cursor, Member, operation, pageLimit, QueryMember, type OperationGroup } from '@app/http';
import { oneOf, optional } from '@app/schema';
import { Budget, BudgetEntryPage, budgetExamples } from './budget.schema';

export class ListBudgetEntriesDto {
  @Member(cursor())
  cursor?: string;

  @QueryMember(pageLimit({ description: 'Items in a page at most' }))
  limit: number;

  @Member(
    optional(oneOf(['day', 'month'], { description: 'The period whose snapshot is explained; `day` when absent' })),
  )
  periodKind?: 'day' | 'month';
}

export const budgetGroup: OperationGroup = {
  name: 'budget',
  description: "The user's spend headroom, and every cent of it",
};

export const readBudget = operation('budget', {
  route: 'GET /v1/users/:userId/budget',
  summary: "The user's spend headroom",
  description: 'The same headroom that is checked before a run starts. Always current.',
  answer: Budget,
  examples: { answer: budgetExamples.budget },
});

export const listBudgetEntries = operation('budget.entries', {
  route: 'GET /v1/users/:userId/budget/entries',
  summary: 'The entries behind the budget, newest first',
  description:
    "Every cent is explained: `reserved` less `released` entries add up to the snapshot's `reservedCents`, `spent` ones to its `spentCents`. A list keeps the period in which it started, even past midnight.",
  query: ListBudgetEntriesDto,
  answer: BudgetEntryPage,
  examples: { answer: budgetExamples.entries },
});
