import type { Instant, MarksOf, RunId, RunKey } from '@app/kernel';

/** The facts of one user's budget. Amounts are whole cents; days and months are UTC (`2026-03-01`, `2026-03`). */
export type BudgetEvent = SegmentEvent | BudgetExhausted | OperatorEvent;

/**
 * Changes to the amount that a run segment holds and has spent. `day` and `month` are the periods that the segment
 * books into, for all of its events. In any period, the held amount is the sum of `reserved` less all releases
 * (`budget.released`, and `releasedCents` of `budget.spent`), and the spent amount is the sum of `budget.spent`.
 */
export type SegmentEvent =
  /** Adds to the amount that the segment holds. `checked`: recorded only because the caps had room for it. */
  | (OfSegment<'budget.reserved'> & { readonly amountCents: number; readonly checked: boolean })
  /** The segment is over: it cost `amountCents` (0 or more, even beyond the amount that it held), and released all that it held. */
  | (OfSegment<'budget.spent'> & { readonly amountCents: number; readonly releasedCents: number })
  /** The segment was never admitted: it released all that it held and spent nothing. */
  | (OfSegment<'budget.released'> & { readonly amountCents: number });

/** The spent amount leaves no room for another run: none is admitted before the period is over or the cap is raised. */
export interface BudgetExhausted {
  readonly type: 'budget.exhausted';
  readonly at: Instant;
  readonly periodKind: 'day' | 'month';
  /** The day (`2026-03-01`) or the month (`2026-03`). */
  readonly period: string;
}

export type OperatorEvent =
  | { readonly type: 'budget.frozen' | 'budget.unfrozen'; readonly at: Instant; readonly reason: string }
  | {
      readonly type: 'budget.caps_set';
      readonly at: Instant;
      readonly dayCents: number;
      readonly monthCents: number;
      readonly reason: string;
    };

interface OfSegment<Type extends string> extends Segment {
  readonly type: Type;
  readonly at: Instant;
  readonly day: string;
  readonly month: string;
}

/** A run's stretch from one admission or decision to the next. */
export interface Segment {
  readonly runKey: RunKey;
  readonly runId: RunId;
  /** Counts from 1. */
  readonly segment: number;
}

/** Types of the events that freeze and unfreeze a budget. */
export const freezeEvents: readonly BudgetEvent['type'][] = ['budget.frozen', 'budget.unfrozen'];

const segment = { runKey: 'clear', runId: 'clear', segment: 'clear', day: 'clear', month: 'clear' } as const;

/** A budget's stream is the books. */
export const budgetMembers: MarksOf<BudgetEvent> = {
  'budget.reserved': { ...segment, amountCents: 'clear', checked: 'clear' },
  'budget.spent': { ...segment, amountCents: 'clear', releasedCents: 'clear' },
  'budget.released': { ...segment, amountCents: 'clear' },
  'budget.exhausted': { periodKind: 'clear', period: 'clear' },
  'budget.frozen': { reason: 'clear' },
  'budget.unfrozen': { reason: 'clear' },
  'budget.caps_set': { dayCents: 'clear', monthCents: 'clear', reason: 'clear' },
};
