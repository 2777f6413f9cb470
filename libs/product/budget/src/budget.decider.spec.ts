import { instant, specification } from '@app/testing/deciders';
import {
  a,
  april,
  b,
  capsSet,
  freeze,
  frozen,
  march,
  nextDay,
  release,
  released,
  reserve,
  reserved,
  segment,
  setCaps,
  settle,
  spent,
  unfreeze,
  unfrozen,
} from '../test/budget-facts';
import { amountCentsMax, budgetDecider } from './budget.decider';
import type { BudgetEvent } from './budget.events';

const budget = specification(budgetDecider);

describe('a reservation', () => {
  it('is made once', () => budget.when(reserve(a)).thenOnce(reserved(a)));
  it('is made for each segment of a run', () =>
    budget
      .given(reserved(a))
      .when(reserve(segment('a', 2)))
      .thenOnce(reserved(segment('a', 2))));
  it('is not made again, checked or not', () => {
    budget
      .given(reserved(a))
      .when(reserve(a, { checked: true }))
      .thenNothing();
    budget
      .given(reserved(a))
      .when(reserve(a, { checked: false }))
      .thenNothing();
  });
  it('is not made again by a process that claims a segment that holds more', () =>
    budget
      .given(reserved(a, { amountCents: 50 }))
      .when(reserve(a, { checked: false }))
      .thenNothing());
  it('is there already, also when the budget was frozen since', () =>
    budget.given(reserved(a), frozen).when(reserve(a)).thenNothing());

  it.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, amountCentsMax + 1])('refuses %p cents', (amountCents) =>
    budget.when(reserve(a, { amountCents, checked: false })).thenRefused('invalid_input', { path: '/amountCents' }),
  );
});

describe('a checked reservation', () => {
  it('passes when it fills the cap of the day exactly', () =>
    budget
      .given(reserved(a, { amountCents: 75 }))
      .when(reserve(b))
      .then(reserved(b)));
  it('is refused one cent over what the day holds', () =>
    budget
      .given(reserved(a, { amountCents: 76 }))
      .when(reserve(b))
      .thenRefused('budget_exhausted', { retryable: true }));
  it('is refused one cent over what the day has spent', () =>
    budget.given(reserved(a), spent(a, 76)).when(reserve(b)).thenRefused('budget_exhausted', { retryable: true }));
  it('is refused one cent over what the month has spent', () => {
    const yesterday = instant('2026-03-30T12:00Z');
    const before = { at: yesterday, day: '2026-03-30', month: '2026-03' };
    const history = (cents: number): BudgetEvent[] => [
      reserved(a, before),
      { type: 'budget.spent', ...before, ...a, amountCents: cents, releasedCents: 25 },
    ];
    budget
      .given(...history(125))
      .when(reserve(b))
      .then(reserved(b));
    budget
      .given(...history(126))
      .when(reserve(b))
      .thenRefused('budget_exhausted', { retryable: true });
  });
  it('has the whole cap again on a new day and month', () =>
    budget
      .given(reserved(a), spent(a, 100))
      .when(reserve(b, { at: nextDay }))
      .then(reserved(b, { at: nextDay, ...april })));
  it('is refused by caps of 0', () =>
    budget.when(reserve(a, { configuredCaps: { dayCents: 0, monthCents: 0 } })).thenRefused('budget_exhausted'));
  it('is refused while the budget is frozen, and a retry would not help', () =>
    budget.given(frozen).when(reserve(a)).thenRefused('budget_exhausted', { retryable: false }));
  it('passes again once the budget is unfrozen', () =>
    budget.given(frozen, unfrozen).when(reserve(a)).then(reserved(a)));
  it('goes by the caps that an operator set, be they lower or higher', () => {
    budget.given(capsSet(24, 1000)).when(reserve(a)).thenRefused('budget_exhausted');
    budget.given(capsSet(1000, 24)).when(reserve(a)).thenRefused('budget_exhausted');
    budget
      .given(capsSet(1000, 1000))
      .when(reserve(a, { amountCents: 200 }))
      .then(reserved(a, { amountCents: 200 }));
  });
});

describe('an unchecked reservation', () => {
  it('passes a cap', () =>
    budget
      .given(reserved(a, { amountCents: 100 }))
      .when(reserve(b, { checked: false }))
      .thenOnce(reserved(b, { checked: false })));
  it('passes a freeze', () =>
    budget
      .given(frozen)
      .when(reserve(a, { checked: false }))
      .thenOnce(reserved(a, { checked: false })));
});

describe('a raise', () => {
  it('adds what is missing, once', () =>
    budget
      .given(reserved(a))
      .when(reserve(a, { amountCents: 50 }))
      .thenOnce(reserved(a)));
  it('fills the cap exactly', () =>
    budget
      .given(reserved(a), reserved(b, { amountCents: 50 }))
      .when(reserve(a, { amountCents: 50 }))
      .then(reserved(a)));
  it('is refused one cent over the cap', () =>
    budget
      .given(reserved(a), reserved(b, { amountCents: 51 }))
      .when(reserve(a, { amountCents: 50 }))
      .thenRefused('budget_exhausted', { retryable: true }));
  it('is refused while the budget is frozen', () =>
    budget
      .given(reserved(a), frozen)
      .when(reserve(a, { amountCents: 50 }))
      .thenRefused('budget_exhausted', { retryable: false }));
  it('books into the periods of its segment, and is checked against those, past midnight and month end', () => {
    const raise = reserve(a, { amountCents: 50, at: nextDay });
    budget
      .given(reserved(a))
      .when(raise)
      .thenOnce(reserved(a, { at: nextDay }));
    const full = reserved(b, { amountCents: 75 });
    const newDay = reserved(segment('c'), { at: nextDay, ...april });
    budget.given(reserved(a), full, newDay).when(raise).thenRefused('budget_exhausted', { retryable: true });
  });
});

describe('a settlement', () => {
  it('books what was spent and gives back what was held, once', () =>
    budget.given(reserved(a)).when(settle(a, 7)).thenOnce(spent(a, 7)));
  it('gives back all raises', () =>
    budget
      .given(reserved(a), reserved(a))
      .when(settle(a, 30))
      .then(spent(a, 30, { releasedCents: 50 })));
  it('can be of nothing', () => budget.given(reserved(a)).when(settle(a, 0)).thenOnce(spent(a, 0)));
  it('can exceed what was held', () => budget.given(reserved(a)).when(settle(a, 31)).thenOnce(spent(a, 31)));
  it('books into the periods of its segment, past midnight and month end', () =>
    budget
      .given(reserved(a))
      .when(settle(a, 7, nextDay))
      .thenOnce(spent(a, 7, { at: nextDay })));
  it('of another amount changes nothing any more', () =>
    budget.given(reserved(a), spent(a, 7)).when(settle(a, 9)).thenNothing());
  it('of a segment that never reserved is nothing', () => budget.when(settle(a, 7)).thenNothing());
  it('of one segment leaves the other alone', () => {
    const { state } = budget.given(reserved(a), reserved(b), spent(a, 7));
    expect(state.days[march.day]).toEqual({ reservedCents: 25, spentCents: 7 });
  });
  it('ends the segment: nobody reserves for it again', () => {
    budget.given(reserved(a), spent(a, 0)).when(reserve(a)).thenNothing();
    budget
      .given(reserved(a), spent(a, 0))
      .when(reserve(a, { checked: false }))
      .thenNothing();
    budget
      .given(reserved(a), spent(a, 0))
      .when(reserve(a, { amountCents: 50 }))
      .thenNothing();
  });
  it('still counts when the segment was given back while its run went on', () =>
    budget
      .given(reserved(a), released(a))
      .when(settle(a, 7, nextDay))
      .thenOnce(spent(a, 7, { at: nextDay, releasedCents: 0 })));

  it.each([-1, 0.5, Number.NaN, amountCentsMax + 1])('refuses %p cents', (cents) =>
    budget.given(reserved(a)).when(settle(a, cents)).thenRefused('invalid_input', { path: '/spentCents' }),
  );
});

describe('a release', () => {
  it('gives back what was held, once', () => budget.given(reserved(a)).when(release(a)).thenOnce(released(a)));
  it('books into the periods of its segment, past midnight', () =>
    budget.given(reserved(a)).when(release(a, nextDay)).then(released(a, nextDay)));
  it('of what is not held is nothing', () => {
    budget.when(release(a)).thenNothing();
    budget.given(reserved(a), spent(a, 7)).when(release(a)).thenNothing();
    budget.given(reserved(a), released(a)).when(release(a)).thenNothing();
  });
  it('lets the next attempt of the same run reserve again', () =>
    budget.given(reserved(a), released(a)).when(reserve(a)).thenOnce(reserved(a)));
  it('lets a claimer of the run, which is live after all, reserve again, a day later and past the cap', () =>
    budget
      .given(reserved(a), released(a), reserved(b, { at: nextDay, ...april, amountCents: 100 }))
      .when(reserve(a, { at: nextDay, checked: false }))
      .thenOnce(reserved(a, { at: nextDay, ...april, checked: false })));
});

describe('an operator', () => {
  it('freezes once', () => budget.when(freeze).thenOnce(frozen));
  it('unfreezes once', () => budget.given(frozen).when(unfreeze).thenOnce(unfrozen));
  it('has nothing to unfreeze at first', () => budget.when(unfreeze).thenNothing());
  it('sets caps once', () => budget.when(setCaps(10, 20)).thenOnce(capsSet(10, 20)));
  it('changes either cap', () => {
    budget.given(capsSet(10, 20)).when(setCaps(11, 20)).then(capsSet(11, 20));
    budget.given(capsSet(10, 20)).when(setCaps(10, 21)).then(capsSet(10, 21));
  });
  it('can set caps of 0', () => budget.when(setCaps(0, 0)).then(capsSet(0, 0)));
  it.each([-1, 0.5, amountCentsMax + 1])('cannot set a cap of %p cents', (cents) => {
    budget.when(setCaps(cents, 20)).thenRefused('invalid_input', { path: '/dayCents' });
    budget.when(setCaps(20, cents)).thenRefused('invalid_input', { path: '/monthCents' });
  });
});
