import { asId, type RunId, type RunKey } from '@app/kernel';
import { instant } from '@app/testing/deciders';
import type { BudgetCommand, Reserve } from '../src/budget.decider';
import type { BudgetEvent, Segment } from '../src/budget.events';

// Commands and events of budgets for the specs.

export const noon = instant('2026-03-31T12:00Z');
export const nextDay = instant('2026-04-01T00:00Z');
export const configuredCaps = { dayCents: 100, monthCents: 150 };
export const march = { day: '2026-03-31', month: '2026-03' };
export const april = { day: '2026-04-01', month: '2026-04' };

export function segment(name: string, number = 1): Segment {
  return { runKey: asId<RunKey>(`key-${name}`), runId: asId<RunId>(`run-${name}`), segment: number };
}

export const a = segment('a');
export const b = segment('b');

export function reserve(of: Segment, options: Partial<Reserve> = {}): BudgetCommand {
  return { type: 'Reserve', at: noon, ...of, amountCents: 25, checked: true, configuredCaps, ...options };
}

export function reserved(
  of: Segment,
  options: Partial<Extract<BudgetEvent, { type: 'budget.reserved' }>> = {},
): BudgetEvent {
  return { type: 'budget.reserved', at: noon, ...of, amountCents: 25, ...march, checked: true, ...options };
}

export function settle(of: Segment, spentCents: number, at = noon): BudgetCommand {
  return { type: 'Settle', at, ...of, spentCents, configuredCaps, reservationCents: 25 };
}

export function spent(
  of: Segment,
  amountCents: number,
  options: { at?: typeof noon; releasedCents?: number } = {},
): BudgetEvent {
  return { type: 'budget.spent', at: noon, ...of, amountCents, releasedCents: 25, ...march, ...options };
}

export const exhausted = (periodKind: 'day' | 'month', period: string, at = noon): BudgetEvent => ({
  type: 'budget.exhausted',
  at,
  periodKind,
  period,
});

export const release = (of: Segment, at = noon): BudgetCommand => ({ type: 'Release', at, ...of });
export const released = (of: Segment, at = noon): BudgetEvent => ({
  type: 'budget.released',
  at,
  ...of,
  amountCents: 25,
  ...march,
});

export const freeze: BudgetCommand = { type: 'Freeze', at: noon, reason: 'review' };
export const frozen: BudgetEvent = { type: 'budget.frozen', at: noon, reason: 'review' };
export const unfreeze: BudgetCommand = { type: 'Unfreeze', at: noon, reason: 'cleared' };
export const unfrozen: BudgetEvent = { type: 'budget.unfrozen', at: noon, reason: 'cleared' };
const caps = (dayCents: number, monthCents: number) => ({ at: noon, dayCents, monthCents, reason: 'agreed' });
export const setCaps = (day: number, month: number): BudgetCommand => ({ type: 'SetCaps', ...caps(day, month) });
export const capsSet = (day: number, month: number): BudgetEvent => ({ type: 'budget.caps_set', ...caps(day, month) });
