import { specification } from '@app/testing/deciders';
import { a, b, capsSet, configuredCaps, frozen, nextDay, noon, reserved, spent } from '../test/budget-facts';
import { budgetDecider } from './budget.decider';
import type { BudgetEvent } from './budget.events';
import { viewBudget } from './budget.view';

const budget = specification(budgetDecider);

describe('the view', () => {
  const view = (...events: BudgetEvent[]) => viewBudget(budget.given(...events).state, noon, configuredCaps, 25);

  it('shows the day and the month', () =>
    expect(view(reserved(a), spent(a, 7), reserved(b))).toEqual({
      ok: true,
      frozen: false,
      snapshots: [
        { periodKind: 'day', capCents: 100, reservedCents: 25, spentCents: 7 },
        { periodKind: 'month', capCents: 150, reservedCents: 25, spentCents: 7 },
      ],
    }));
  it('is ok to the last cent', () => {
    expect(view(reserved(a), spent(a, 75)).ok).toBe(true);
    expect(view(reserved(a), spent(a, 76)).ok).toBe(false);
  });
  it('is not ok while it is frozen', () => expect(view(frozen)).toMatchObject({ ok: false, frozen: true }));
  it('shows the caps that an operator set', () =>
    expect(view(capsSet(10, 1000))).toMatchObject({ ok: false, snapshots: [{ capCents: 10 }, { capCents: 1000 }] }));
  it('starts at 0 on a new day and month', () =>
    expect(viewBudget(budget.given(reserved(a)).state, nextDay, configuredCaps, 25)).toMatchObject({
      snapshots: [{ reservedCents: 0 }, { reservedCents: 0 }],
    }));
});
