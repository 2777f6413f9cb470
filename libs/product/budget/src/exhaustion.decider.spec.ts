import { specification } from '@app/testing/deciders';
import { a, b, capsSet, exhausted, march, nextDay, reserved, segment, settle, spent } from '../test/budget-facts';
import { budgetDecider } from './budget.decider';

const budget = specification(budgetDecider);

describe('a budget is exhausted', () => {
  const c = segment('c');
  it('by what leaves less than a run needs, to the cent', () => {
    budget.given(reserved(a)).when(settle(a, 75)).thenOnce(spent(a, 75));
    budget.given(reserved(a)).when(settle(a, 76)).thenOnce(spent(a, 76), exhausted('day', march.day));
  });
  it('once a period, whatever is spent after that', () =>
    budget
      .given(reserved(a), reserved(b), spent(a, 80), exhausted('day', march.day))
      .when(settle(b, 3))
      .then(spent(b, 3)));
  it('in the day and in the month each', () =>
    budget
      .given(reserved(a))
      .when(settle(a, 126))
      .then(spent(a, 126), exhausted('day', march.day), exhausted('month', march.month)));
  it('not by what is only held', () =>
    budget.given(reserved(a), reserved(b), reserved(c)).when(settle(a, 50)).then(spent(a, 50)));
  it('not for a period that is over', () =>
    budget
      .given(reserved(a))
      .when(settle(a, 130, nextDay))
      .then(spent(a, 130, { at: nextDay })));
  it('by the caps that an operator set', () => {
    budget
      .given(capsSet(1000, 40), reserved(a))
      .when(settle(a, 16))
      .then(spent(a, 16), exhausted('month', march.month));
    budget.given(capsSet(10, 10), reserved(a)).when(settle(a, 5)).then(spent(a, 5));
  });
});
