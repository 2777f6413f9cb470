import { asId, instantOf, type RunId, type RunKey } from '@app/kernel';
import fc from 'fast-check';
import { fold } from '@app/testing/deciders';
import { budgetDecider, type BudgetCommand } from '../src/budget.decider';
import type { BudgetEvent } from '../src/budget.events';
import { initialBudget, type BudgetState } from '../src/budget.state';

// Random histories of one budget.

export const configuredCaps = { dayCents: 100, monthCents: 180 };
const firstMs = Date.parse('2026-02-27T00:00:00.000Z');
const dayMs = 86_400_000;

// Few segments and few days, so that commands often concern the same ones; clocks jump back and forth.
export const at = fc.integer({ min: 0, max: 4 * dayMs }).map((ms) => instantOf(firstMs + ms));
const segment = fc
  .record({ run: fc.integer({ min: 1, max: 4 }), segment: fc.integer({ min: 1, max: 2 }) })
  .map((of) => ({
    runKey: asId<RunKey>(`key-${of.run}`),
    runId: asId<RunId>(`run-${of.run}`),
    segment: of.segment,
  }));

export const reserve = (checked: fc.Arbitrary<boolean>): fc.Arbitrary<BudgetCommand> =>
  fc.record({ at, segment, amountCents: fc.constantFrom(25, 50, 75), checked }).map(({ segment: of, ...rest }) => ({
    type: 'Reserve' as const,
    ...of,
    ...rest,
    configuredCaps,
  }));
export const settle = (spentCentsMax: number): fc.Arbitrary<BudgetCommand> =>
  fc
    .record({ at, segment, spentCents: fc.integer({ min: 0, max: spentCentsMax }) })
    .map(({ segment: of, ...rest }) => ({
      type: 'Settle' as const,
      ...of,
      ...rest,
      configuredCaps,
      reservationCents: 25,
    }));
const release: fc.Arbitrary<BudgetCommand> = fc
  .record({ at, segment })
  .map(({ segment: of, ...rest }) => ({ type: 'Release' as const, ...of, ...rest }));
const freeze: fc.Arbitrary<BudgetCommand> = fc.record({
  type: fc.constantFrom('Freeze' as const, 'Unfreeze' as const),
  at,
  reason: fc.constant('review'),
});
const setCaps: fc.Arbitrary<BudgetCommand> = fc.record({
  type: fc.constant('SetCaps' as const),
  at,
  dayCents: fc.integer({ min: 0, max: 200 }),
  monthCents: fc.integer({ min: 0, max: 300 }),
  reason: fc.constant('agreed'),
});
export const command = fc.oneof(
  { weight: 6, arbitrary: reserve(fc.boolean()) },
  { weight: 3, arbitrary: settle(60) },
  { weight: 2, arbitrary: release },
  { weight: 1, arbitrary: freeze },
  { weight: 1, arbitrary: setCaps },
);

/** One command of a history, and its events. */
export interface Step {
  readonly command: BudgetCommand;
  readonly before: BudgetState;
  readonly events: readonly BudgetEvent[];
  readonly after: BudgetState;
}

/** The steps of a history of commands. */
export function play(commands: readonly BudgetCommand[]): Step[] {
  let before = initialBudget;
  return commands.map((next) => {
    const decision = budgetDecider.decide(next, before);
    const events = decision.accepted ? decision.events : [];
    const step = { command: next, before, events, after: fold(budgetDecider, before, events) };
    before = step.after;
    return step;
  });
}
