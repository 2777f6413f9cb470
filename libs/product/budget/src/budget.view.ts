import type { Instant } from '@app/kernel';
import type { BudgetView, PeriodSnapshot } from './budget.schema';
import { bookingDay, monthOf, type BudgetState, type Caps } from './budget.state';

/** The snapshots of the day and its month, with the operator's caps or else the configured ones. */
export function snapshotsOf(state: BudgetState, day: string, configured: Caps): readonly PeriodSnapshot[] {
  const caps = state.caps ?? configured;
  const nothing = { reservedCents: 0, spentCents: 0 };
  return [
    { periodKind: 'day', capCents: caps.dayCents, ...(state.days[day] ?? nothing) },
    { periodKind: 'month', capCents: caps.monthCents, ...(state.months[monthOf(day)] ?? nothing) },
  ];
}

/** Whether every period has room for `amountCents` more (docs/decisions/runs.md, "Headroom"). */
export function haveRoom(snapshots: readonly PeriodSnapshot[], amountCents: number): boolean {
  return snapshots.every(
    ({ capCents, spentCents, reservedCents }) => capCents - spentCents - reservedCents >= amountCents,
  );
}

/** The budget as of an instant; `ok` exactly when a checked reservation of `reservationCents` would pass then. */
export function viewBudget(state: BudgetState, at: Instant, configured: Caps, reservationCents: number): BudgetView {
  const snapshots = snapshotsOf(state, bookingDay(state, at), configured);
  return { ok: !state.frozen && haveRoom(snapshots, reservationCents), frozen: state.frozen, snapshots };
}
