import { operation } from '@app/http';
import { ListBudgetEntriesDto } from './budget.dto';
import { Budget, BudgetEntryPage, budgetExamples } from './budget.schema';

export const readBudget = operation('budget', {
  route: 'GET /v1/users/:userId/budget',
  summary: "The user's spend headroom",
  description: 'The very headroom that admission checks before a run starts; it is never behind.',
  answer: Budget,
  examples: { answer: budgetExamples.budget },
});

export const listBudgetEntries = operation('budget.entries', {
  route: 'GET /v1/users/:userId/budget/entries',
  summary: 'What a snapshot is made of, newest first',
  description:
    "Every cent is explained: `reserved` less `released` entries add up to the snapshot's `reservedCents`, `spent` ones to its `spentCents`. A list that was begun in a period stays in it, also past midnight.",
  query: ListBudgetEntriesDto,
  answer: BudgetEntryPage,
  examples: { answer: budgetExamples.entries },
});
