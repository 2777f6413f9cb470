import { specification } from '@app/testing/deciders';
import {
  a,
  april,
  b,
  march,
  nextDay,
  release,
  released,
  reserve,
  reserved,
  segment,
  settle,
  spent,
} from '../test/budget-facts';
import { budgetDecider } from './budget.decider';
import { releasedMax, settledMax } from './budget.state';

const budget = specification(budgetDecider);

describe('the state', () => {
  it('keeps the newest periods, and older ones while something is open in them', () => {
    const today = { at: nextDay, ...april };
    const open = budget.given(reserved(a), reserved(b, today)).state;
    expect(Object.keys(open.days)).toEqual([march.day, april.day]);
    expect(Object.keys(open.months)).toEqual([march.month, april.month]);
    const closed = budget.given(reserved(a), reserved(b, today), spent(a, 7, { at: nextDay })).state;
    expect(closed.days).toEqual({ [april.day]: { reservedCents: 25, spentCents: 0 } });
    expect(closed.months).toEqual({ [april.month]: { reservedCents: 25, spentCents: 0 } });
  });
  it('books into the newest day for a clock that is a little behind', () =>
    budget
      .given(reserved(b, { at: nextDay, ...april }))
      .when(reserve(a))
      .then(reserved(a, april)));
  it('remembers a bounded number of closed segments', () => {
    const many = Array.from({ length: settledMax + releasedMax + 1 }, (_, index) => segment(String(index)));
    const { state } = budget.given(...many.flatMap((of) => [reserved(of), spent(of, 1)]));
    expect(state.settled).toHaveLength(settledMax);
    const undone = budget.given(...many.flatMap((of) => [reserved(of), released(of)])).state;
    expect(undone.released).toHaveLength(releasedMax);
    expect(undone.settled).toHaveLength(0);
  });
  it('charges nobody twice for a segment that it has forgotten', () => {
    const many = Array.from({ length: settledMax }, (_, index) => segment(String(index)));
    const history = [reserved(a), spent(a, 7), ...many.flatMap((of) => [reserved(of), spent(of, 0)])];
    budget
      .given(...history)
      .when(settle(a, 7))
      .thenNothing();
    budget
      .given(...history)
      .when(release(a))
      .thenNothing();
  });
});
