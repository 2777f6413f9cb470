import type { Recorded } from '@app/event-store';
import fc from 'fast-check';
import { at, command, configuredCaps, play } from '../test/budget-histories';
import { a, nextDay, released, reserved, spent } from '../test/budget-facts';
import type { BudgetEntry } from './budget.schema';
import { entriesOf, isAfter } from './list-budget-entries';
import { budgetEntriesProjection, type BudgetEntryRow } from './budget.projection';
import type { BudgetEvent } from './budget.events';
import { bookingDay, initialBudget, monthOf } from './budget.state';
import { viewBudget } from './budget.view';

const userId = '0190a000-0000-7000-8000-000000000001';
const historiesCount = 500;

/** The rows of a budget's events, newest first. */
function rowsOf(events: readonly BudgetEvent[]): BudgetEntryRow[] {
  const rows = events.flatMap((event, revision) => {
    const recorded = { id: `event-${revision}`, stream: `budget-${userId}`, revision, position: 100 + revision, event };
    // Reason for the assertion: the members that the projection reads.
    const row = budgetEntriesProjection.project(null, recorded as Recorded<BudgetEvent>);
    const key = budgetEntriesProjection.keyOf(recorded as Recorded<BudgetEvent>); // as above
    return row !== null && key === row.id ? [row] : [];
  });
  return rows.reverse();
}

const kindsOf = (...events: BudgetEvent[]) =>
  entriesOf(rowsOf(events)).map(({ kind, amountCents }) => [kind, amountCents]);

function sum(entries: readonly BudgetEntry[], kind: BudgetEntry['kind']): number {
  return entries.filter((entry) => entry.kind === kind).reduce((total, { amountCents }) => total + amountCents, 0);
}

describe('entries', () => {
  it('say what each event moved, the newest first', () =>
    expect(kindsOf(reserved(a), reserved(a), spent(a, 31, { releasedCents: 50 }))).toEqual([
      ['spent', 31],
      ['released', 50],
      ['reserved', 25],
      ['reserved', 25],
    ]));
  it('leave out what moved no cent', () => {
    expect(kindsOf(reserved(a), spent(a, 0))).toEqual([
      ['released', 25],
      ['reserved', 25],
    ]);
    expect(kindsOf(reserved(a), released(a), spent(a, 0, { releasedCents: 0 }))).toHaveLength(2);
    expect(kindsOf({ type: 'budget.frozen', at: nextDay, reason: 'review' })).toEqual([]);
  });
  it('belong to the periods of their segment, whenever they were made', () =>
    expect(rowsOf([reserved(a), spent(a, 7, { at: nextDay })])).toMatchObject([
      { at: nextDay, day: '2026-03-31', month: '2026-03', userId },
      { day: '2026-03-31', month: '2026-03' },
    ]));
  it('come in one order, in which every place but the last has one after it', () => {
    const places = entriesOf(rowsOf([reserved(a), spent(a, 7)]));
    expect(places.map((place) => places.filter((other) => isAfter(other, place)).length)).toEqual([2, 1, 0]);
  });

  it('explain every cent of a snapshot, whatever happened before', () =>
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), at, (history, now) => {
        const steps = play(history);
        const state = steps.at(-1)?.after ?? initialBudget;
        const rows = rowsOf(steps.flatMap(({ events }) => events));
        const day = bookingDay(state, now);
        const periods = {
          day: ({ day: of }: BudgetEntryRow) => of === day,
          month: ({ month }: BudgetEntryRow) => month === monthOf(day),
        };
        for (const { periodKind, reservedCents, spentCents } of viewBudget(state, now, configuredCaps, 25).snapshots) {
          const entries = entriesOf(rows.filter(periods[periodKind]));
          expect(sum(entries, 'reserved') - sum(entries, 'released')).toBe(reservedCents);
          expect(sum(entries, 'spent')).toBe(spentCents);
        }
      }),
      { numRuns: historiesCount },
    ));
});
