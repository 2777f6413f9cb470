import { boolean, instant, integer, list, oneOf, pageOfShape, shape, uuid, type Shaped } from '@app/schema';

/** An amount in US cents. */
function cents(description: string, min = 0) {
  return integer({ min, description });
}

/** The cap of one period, and the amounts that count against it. */
const Snapshot = shape('BudgetSnapshot', {
  periodKind: oneOf(['day', 'month'], { description: 'The UTC calendar day or month that it is now' }),
  capCents: cents('What may be spent in the period'),
  reservedCents: cents('Held by runs in flight against the cap'),
  spentCents: cents('Spent and settled already; a run may end above what it had reserved, and so above the cap'),
});
export type PeriodSnapshot = Shaped<typeof Snapshot>;

/** Budget, in the shape of the specification. */
export const Budget = shape('Budget', {
  ok: boolean({ description: 'Whether `runs.start` would pass now, as far as the budget is concerned' }),
  frozen: boolean({ description: 'An operator froze the user: no headroom, whatever the periods hold' }),
  snapshots: list(Snapshot, { min: 2, max: 2, description: 'The day, then the month' }),
});
export type BudgetView = Shaped<typeof Budget>;

/** An entry that explains a part of a snapshot (docs/decisions/money.md, `budget.entries`). */
const Entry = shape('BudgetEntry', {
  at: instant(),
  runId: uuid({ description: 'The run that it was for' }),
  kind: oneOf(['reserved', 'spent', 'released'], {
    description: 'All that was `reserved` is `released` when its run pauses or ends, and what was used is `spent`',
  }),
  amountCents: cents('US cents', 1),
});
export type BudgetEntry = Shaped<typeof Entry>;

export const BudgetEntryPage = pageOfShape('BudgetEntry', Entry);
export type BudgetEntryPage = Shaped<typeof BudgetEntryPage>;

const runId = '019a3c5f-2b44-7c19-8d03-6e1f4a9b7c02';

/** Consistent examples: the entries add up to the day's snapshot. */
export const budgetExamples = {
  budget: {
    ok: true,
    frozen: false,
    snapshots: [
      { periodKind: 'day', capCents: 500, reservedCents: 25, spentCents: 2 },
      { periodKind: 'month', capCents: 5000, reservedCents: 25, spentCents: 318 },
    ],
  },
  entries: {
    data: [
      {
        at: '2026-11-21T09:31:10.402Z',
        runId: '019a3c6d-51f2-7a08-b4c1-0d9e8f7a6b15',
        kind: 'reserved',
        amountCents: 25,
      },
      { at: '2026-11-21T09:15:43.530Z', runId, kind: 'spent', amountCents: 2 },
      { at: '2026-11-21T09:15:43.530Z', runId, kind: 'released', amountCents: 25 },
      { at: '2026-11-21T09:15:42.101Z', runId, kind: 'reserved', amountCents: 25 },
    ],
    nextCursor: null,
  },
} as const satisfies { readonly budget: BudgetView; readonly entries: BudgetEntryPage };
