import { asId, type RunId, type RunKey } from '@app/kernel';
import fc from 'fast-check';
import { at, command, configuredCaps, play, reserve, settle, type Step } from '../test/budget-histories';
import { budgetDecider, type BudgetCommand } from './budget.decider';
import type { BudgetEvent, SegmentEvent } from './budget.events';
import { bookingDay, initialBudget, monthOf, segmentKey, settledMax } from './budget.state';
import { haveRoom, snapshotsOf, viewBudget } from './budget.view';

const runsPerProperty = 300;
const reservationCents = 25;

function check(property: (steps: readonly Step[]) => void, commands: fc.Arbitrary<BudgetCommand> = command): void {
  const histories = fc.array(commands, { maxLength: 40 });
  fc.assert(
    fc.property(histories, (history) => property(play(history))),
    { numRuns: runsPerProperty },
  );
}

function isOfSegment(event: BudgetEvent): event is SegmentEvent {
  return 'segment' in event;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The oracle: a period's held and spent amounts, summed over all events. */
function cents(events: readonly BudgetEvent[], period: string) {
  const booked = events.filter(isOfSegment).filter(({ day, month }) => [day, month].includes(period));
  return {
    reservedCents: sum(
      booked.map((event) => {
        if (event.type === 'budget.reserved') return event.amountCents;
        return event.type === 'budget.spent' ? -event.releasedCents : -event.amountCents;
      }),
    ),
    spentCents: sum(booked.map((event) => (event.type === 'budget.spent' ? event.amountCents : 0))),
  };
}

describe('whatever the order of commands', () => {
  it('no period ever holds or has spent less than nothing', () =>
    check((steps) => {
      for (const { after } of steps) {
        for (const period of [...Object.values(after.days), ...Object.values(after.months)]) {
          expect(Math.min(period.reservedCents, period.spentCents)).toBeGreaterThanOrEqual(0);
        }
      }
    }));

  it('each period holds exactly what is open in it', () =>
    check((steps) => {
      for (const { after } of steps) {
        const open = Object.values(after.open);
        for (const [day, { reservedCents }] of Object.entries(after.days)) {
          expect(reservedCents).toBe(sum(open.filter((one) => one.day === day).map((one) => one.amountCents)));
        }
        for (const [month, { reservedCents }] of Object.entries(after.months)) {
          expect(reservedCents).toBe(
            sum(open.filter((one) => monthOf(one.day) === month).map((one) => one.amountCents)),
          );
        }
      }
    }));

  it('every period that is kept says what its events say', () =>
    check((steps) => {
      const events: BudgetEvent[] = [];
      for (const step of steps) {
        events.push(...step.events);
        for (const [period, kept] of Object.entries({ ...step.after.days, ...step.after.months })) {
          expect(kept).toEqual(cents(events, period));
        }
      }
    }));

  it('a checked reservation never passes a cap or a freeze', () =>
    check((steps) => {
      for (const { command: given, events, after } of steps) {
        for (const event of events) {
          if (given.type !== 'Reserve' || !given.checked || event.type !== 'budget.reserved') continue;
          expect(after.frozen).toBe(false);
          expect(haveRoom(snapshotsOf(after, event.day, configuredCaps), 0)).toBe(true);
        }
      }
    }));

  it('nothing is spent past a cap when all is checked and no segment costs more than it holds', () =>
    check(
      (steps) => {
        const events = steps.flatMap((step) => step.events);
        const periods = events.filter(isOfSegment).flatMap(({ day, month }) => [day, month]);
        for (const period of new Set(periods)) {
          const { reservedCents, spentCents } = cents(events, period);
          const cap = period.length === 10 ? configuredCaps.dayCents : configuredCaps.monthCents;
          expect(reservedCents + spentCents).toBeLessThanOrEqual(cap);
        }
      },
      fc.oneof(reserve(fc.constant(true)), settle(25)),
    ));

  it('a command given twice changes nothing the second time', () =>
    check((steps) => {
      for (const { command: given, after, events } of steps) {
        if (events.length === 0) continue;
        expect(budgetDecider.decide(given, after)).toEqual({ accepted: true, events: [] });
      }
    }));

  it('each segment is settled at most once, and holds nothing afterwards, whatever is repeated', () =>
    check((steps) => {
      const events = steps.flatMap((step) => step.events);
      expect(events.length).toBeLessThan(settledMax); // within the number that is remembered
      const settled = new Set<string>();
      for (const event of events.filter(isOfSegment)) {
        expect(settled.has(segmentKey(event))).toBe(false);
        if (event.type === 'budget.spent') settled.add(segmentKey(event));
      }
    }));

  it('a segment books into one day from its reservation to its end', () =>
    check((steps) => {
      const days = new Map<string, string>();
      for (const event of steps.flatMap((step) => step.events).filter(isOfSegment)) {
        const key = segmentKey(event);
        const day = days.get(key) ?? event.day;
        expect({ day: event.day, month: event.month }).toEqual({ day, month: monthOf(day) });
        if (event.type === 'budget.released') days.delete(key);
        else days.set(key, day);
      }
    }));

  it('the view is ok exactly when a checked reservation of a new segment passes', () =>
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), at, (history, now) => {
        const state = play(history).at(-1)?.after ?? initialBudget;
        const probe: BudgetCommand = {
          type: 'Reserve',
          at: now,
          runKey: asId<RunKey>('key-new'),
          runId: asId<RunId>('run-new'),
          segment: 1,
          amountCents: reservationCents,
          checked: true,
          configuredCaps,
        };
        const view = viewBudget(state, now, configuredCaps, reservationCents);
        expect(view.ok).toBe(budgetDecider.decide(probe, state).accepted);
        expect(view.snapshots[0]).toMatchObject(
          state.days[bookingDay(state, now)] ?? { reservedCents: 0, spentCents: 0 },
        );
      }),
      { numRuns: runsPerProperty },
    ));

  it('the state stays small', () =>
    check((steps) => {
      for (const { after } of steps) {
        const openMax = Object.keys(after.open).length + 1;
        expect(Object.keys(after.days).length).toBeLessThanOrEqual(openMax);
        expect(Object.keys(after.months).length).toBeLessThanOrEqual(openMax);
      }
    }));
});
