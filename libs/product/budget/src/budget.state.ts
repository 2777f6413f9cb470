import { unreachable, utcDayOf, type Instant } from '@app/kernel';
import type { BudgetEvent, Segment, SegmentEvent } from './budget.events';

/** Everything that later decisions of one budget depend on. It stays small: see the bounds below and `withoutOldPeriods`. */
export interface BudgetState {
  readonly frozen: boolean;
  /** Set by an operator; null: the configured ones apply, which each command carries. */
  readonly caps: Caps | null;
  /** The amount that each segment which is not over holds, by `segmentKey`. */
  readonly open: { readonly [segmentKey: string]: { readonly amountCents: number; readonly day: string } };
  /** Keys of the last settled segments, the newest last. */
  readonly settled: readonly string[];
  /** The last released segments that were not reserved again, the newest last. */
  readonly released: readonly { readonly key: string; readonly day: string }[];
  /** The newest day with a booking; empty before the first. */
  readonly newestDay: string;
  readonly days: Periods;
  readonly months: Periods;
}

export interface Caps {
  readonly dayCents: number;
  readonly monthCents: number;
}

export interface Periods {
  readonly [period: string]: { readonly reservedCents: number; readonly spentCents: number };
}

/**
 * Settled segments of one user that are remembered. A command for a settled segment is repeated when its sender crashed
 * or was fenced, within seconds; meanwhile only the user's segments in flight can be settled, which are far fewer. An
 * even later repetition finds nothing to settle (no one is charged twice), and a reservation that it opens holds
 * headroom until a watchdog releases it.
 */
export const settledMax = 64;
/** Released segments that are remembered, for the rare one whose run did start after all. */
export const releasedMax = 16;

export const initialBudget: BudgetState = {
  frozen: false,
  caps: null,
  open: {},
  settled: [],
  released: [],
  newestDay: '',
  days: {},
  months: {},
};

/** The state after one more event. */
export function evolveBudget(state: BudgetState, event: BudgetEvent): BudgetState {
  switch (event.type) {
    case 'budget.reserved':
      return withoutOldPeriods(book(hold(state, event), event, event.amountCents, 0));
    case 'budget.spent': {
      const settled = [...state.settled, segmentKey(event)].slice(-settledMax);
      return withoutOldPeriods(
        book({ ...over(state, event), settled }, event, -event.releasedCents, event.amountCents),
      );
    }
    case 'budget.released': {
      const before = over(state, event);
      const released = [...before.released, { key: segmentKey(event), day: event.day }].slice(-releasedMax);
      return withoutOldPeriods(book({ ...before, released }, event, -event.amountCents, 0));
    }
    case 'budget.frozen':
      return { ...state, frozen: true };
    case 'budget.unfrozen':
      return { ...state, frozen: false };
    case 'budget.exhausted':
      return state;
    case 'budget.caps_set':
      return { ...state, caps: { dayCents: event.dayCents, monthCents: event.monthCents } };
    default:
      return unreachable(event);
  }
}

/** The members that name a segment, without those of the command that carries them. */
export function segmentOf({ runKey, runId, segment }: Segment): Segment {
  return { runKey, runId, segment };
}

/** The key of a segment among all runs of the user. */
export function segmentKey({ runKey, segment }: Pick<Segment, 'runKey' | 'segment'>): string {
  return `${runKey}/${segment}`;
}

/**
 * The UTC day that a new reservation is booked into. It never goes back: a replica whose clock is a little late at
 * midnight books into the new day as well, because the amounts of the old one may be forgotten by then.
 */
export function bookingDay(state: BudgetState, at: Instant): string {
  const day = utcDayOf(at);
  return day > state.newestDay ? day : state.newestDay;
}

/** The UTC month of a UTC day. */
export function monthOf(day: string): string {
  return day.slice(0, 7);
}

function hold(
  state: BudgetState,
  event: Segment & { readonly amountCents: number; readonly day: string },
): BudgetState {
  const key = segmentKey(event);
  const before = state.open[key]?.amountCents ?? 0;
  return {
    ...state,
    open: { ...state.open, [key]: { amountCents: before + event.amountCents, day: event.day } },
    released: state.released.filter((released) => released.key !== key),
  };
}

function over(state: BudgetState, event: Segment): BudgetState {
  const key = segmentKey(event);
  const { [key]: _closed, ...open } = state.open;
  return { ...state, open, released: state.released.filter((released) => released.key !== key) };
}

function book(state: BudgetState, event: SegmentEvent, reservedCents: number, spentCents: number): BudgetState {
  const add = (periods: Periods, period: string): Periods => {
    const before = periods[period] ?? { reservedCents: 0, spentCents: 0 };
    const after = {
      reservedCents: before.reservedCents + reservedCents,
      spentCents: before.spentCents + spentCents,
    };
    return { ...periods, [period]: after };
  };
  return {
    ...state,
    newestDay: event.day > state.newestDay ? event.day : state.newestDay,
    days: add(state.days, event.day),
    months: add(state.months, event.month),
  };
}

/** Forgets the periods that no later command can book into or check. */
function withoutOldPeriods(state: BudgetState): BudgetState {
  const openDays = new Set(Object.values(state.open).map(({ day }) => day)).add(state.newestDay);
  const openMonths = new Set([...openDays].map(monthOf));
  return { ...state, days: only(state.days, openDays), months: only(state.months, openMonths) };
}

function only(periods: Periods, kept: ReadonlySet<string>): Periods {
  return Object.fromEntries(Object.entries(periods).filter(([period]) => kept.has(period)));
}
