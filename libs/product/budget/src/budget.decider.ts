import { accept, because, invalid, reject, unreachable, type Decider, type Decision, type Instant } from '@app/kernel';
import type { BudgetEvent, BudgetExhausted, Segment } from './budget.events';
import { bookingDay, evolveBudget, initialBudget, monthOf, segmentKey, segmentOf } from './budget.state';
import type { BudgetState, Caps } from './budget.state';
import { haveRoom, snapshotsOf } from './budget.view';

export type BudgetCommand = Reserve | Settle | Release | Freeze | SetCaps;

/** Makes the segment hold `amountCents` in all: a first reservation, or a raise of one that holds less. */
export interface Reserve extends Segment {
  readonly type: 'Reserve';
  readonly at: Instant;
  readonly amountCents: number;
  /** Reject when the caps have no room or the budget is frozen. A continuation is not checked. */
  readonly checked: boolean;
  /** The caps that apply while no operator has set any. */
  readonly configuredCaps: Caps;
}

/** The segment is over and its cost is known. */
export interface Settle extends Segment {
  readonly type: 'Settle';
  readonly at: Instant;
  readonly spentCents: number;
  readonly configuredCaps: Caps;
  /** The reservation that the admission of a run takes. */
  readonly reservationCents: number;
}

/** The segment was never admitted. */
export interface Release extends Segment {
  readonly type: 'Release';
  readonly at: Instant;
}

export interface Freeze {
  readonly type: 'Freeze' | 'Unfreeze';
  readonly at: Instant;
  readonly reason: string;
}

export interface SetCaps extends Caps {
  readonly type: 'SetCaps';
  readonly at: Instant;
  readonly reason: string;
}

/** Ten million dollars; keeps every sum within the integers that a double represents exactly. */
export const amountCentsMax = 1_000_000_000;

/** The rules of one user's spend (docs/decisions/runs.md, "Headroom"); every command is idempotent. */
export const budgetDecider: Decider<BudgetState, BudgetCommand, BudgetEvent> = {
  initialState: initialBudget,

  decide: (command, state) => {
    switch (command.type) {
      case 'Reserve':
        return reserve(command, state);
      case 'Settle':
        return settle(command, state);
      case 'Release':
        return release(command, state);
      case 'Freeze':
        return state.frozen ? accept() : accept({ type: 'budget.frozen', at: command.at, reason: command.reason });
      case 'Unfreeze':
        return state.frozen ? accept({ type: 'budget.unfrozen', at: command.at, reason: command.reason }) : accept();
      case 'SetCaps':
        return setCaps(command, state);
      default:
        return unreachable(command);
    }
  },

  evolve: evolveBudget,
};

/** A settled segment is never reserved again; a released one may be, because its run may still be admitted. */
function reserve(command: Reserve, state: BudgetState): Decision<BudgetEvent> {
  const { at, amountCents, checked, configuredCaps } = command;
  if (!isCents(amountCents) || amountCents === 0) return reject(notCents('/amountCents'));
  const key = segmentKey(command);
  const open = state.open[key];
  const moreCents = amountCents - (open?.amountCents ?? 0);
  if (moreCents <= 0 || state.settled.includes(key)) return accept();
  const day = open?.day ?? bookingDay(state, at);
  if (checked && state.frozen) return reject(because('budget_exhausted', false));
  if (checked && !haveRoom(snapshotsOf(state, day, configuredCaps), moreCents)) {
    return reject(because('budget_exhausted', true));
  }
  return accept({
    type: 'budget.reserved',
    at,
    ...segmentOf(command),
    amountCents: moreCents,
    day,
    month: monthOf(day),
    checked,
  });
}

/** Books the actual cost, into the periods in which the segment was reserved, even beyond the amount that it held. */
function settle(command: Settle, state: BudgetState): Decision<BudgetEvent> {
  const { at, spentCents } = command;
  if (!isCents(spentCents)) return reject(notCents('/spentCents'));
  const key = segmentKey(command);
  const open = state.open[key];
  // A released segment whose run continued after all has still cost something.
  const day = open?.day ?? state.released.find((released) => released.key === key)?.day;
  if (day === undefined) return accept();
  const spent = {
    type: 'budget.spent',
    at,
    ...segmentOf(command),
    amountCents: spentCents,
    releasedCents: open?.amountCents ?? 0,
    day,
    month: monthOf(day),
  } as const;
  return accept<BudgetEvent>(spent, ...exhaustedBy(spent, command, state));
}

/**
 * The current periods whose remaining budget this settlement takes below one reservation. Held amounts do not count,
 * because they may still be released.
 */
function exhaustedBy(
  { at, day, amountCents }: { readonly at: Instant; readonly day: string; readonly amountCents: number },
  { configuredCaps, reservationCents }: Settle,
  state: BudgetState,
): BudgetExhausted[] {
  const today = bookingDay(state, at);
  return snapshotsOf(state, day, configuredCaps).flatMap(({ periodKind, capCents, spentCents }) => {
    const [period, present] = periodKind === 'day' ? [day, today] : [monthOf(day), monthOf(today)];
    const leftCents = capCents - spentCents;
    const isCrossed = leftCents >= reservationCents && leftCents - amountCents < reservationCents;
    return isCrossed && period === present ? [{ type: 'budget.exhausted', at, periodKind, period }] : [];
  });
}

function release(command: Release, state: BudgetState): Decision<BudgetEvent> {
  const open = state.open[segmentKey(command)];
  if (open === undefined) return accept();
  const { amountCents, day } = open;
  return accept({
    type: 'budget.released',
    at: command.at,
    ...segmentOf(command),
    amountCents,
    day,
    month: monthOf(day),
  });
}

function setCaps({ at, dayCents, monthCents, reason }: SetCaps, { caps }: BudgetState): Decision<BudgetEvent> {
  if (!isCents(dayCents)) return reject(notCents('/dayCents'));
  if (!isCents(monthCents)) return reject(notCents('/monthCents'));
  if (caps?.dayCents === dayCents && caps.monthCents === monthCents) return accept();
  return accept({ type: 'budget.caps_set', at, dayCents, monthCents, reason });
}

function isCents(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= amountCentsMax;
}

function notCents(path: string) {
  return invalid(path, `must be whole cents, at most ${amountCentsMax}`);
}
