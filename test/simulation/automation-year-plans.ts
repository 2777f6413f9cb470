import type { AutomationDefinition } from '@app/automations';
import { instantOf } from '@app/kernel';
import { scheduleOf, type Plan } from './due-oracle';

/** Zones with a summer time of one hour, in Europe and in America, with one of half an hour, and without one. */
export const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'] as const;

const hourSeconds = 3_600;
const daySeconds = 24 * hourSeconds;
/** Hours that most cron expressions name, among them those that clocks skip or show twice. */
const hoursOfDay = [0, 1, 2, 3, 6, 9, 12, 18, 23];

/** A schedule of a kind that people choose: mostly daily, some weekly or monthly, some at intervals, a few once. */
export function randomPlan(random: () => number, zone: string, fromMs: number, toMs: number): Plan {
  const upTo = (count: number) => Math.floor(random() * count);
  const one = <Value>(values: readonly Value[]): Value => {
    const chosen = values[upTo(values.length)];
    if (chosen === undefined) throw new RangeError('nothing to choose from');
    return chosen;
  };
  const kind = random();
  if (kind < 0.05) return { kind: 'once', at: instantOf(fromMs + 60_000 + upTo((toMs - fromMs) / 1000) * 1000) };
  if (kind < 0.2) {
    // From two hours to the longest permitted interval.
    const seconds = kind < 0.07 ? 2 * hourSeconds + upTo(daySeconds) : daySeconds + upTo(30 * daySeconds);
    return { kind: 'every', seconds };
  }
  const at = { kind: 'cron', zone, minute: one([0, 15, 30, 45, upTo(60)]) } as const;
  if (kind < 0.35) return { ...at, hours: [one([1, 2, 3]), one([9, 15, 21])], days: null };
  const hours = [one(hoursOfDay)];
  if (kind < 0.7) return { ...at, hours, days: null };
  if (kind < 0.9) return { ...at, hours, days: { of: 'week', numbers: [one([0, 1, 3]), one([4, 5, 6])] } };
  return { ...at, hours, days: { of: 'month', numbers: [one([1, 15, 28, 29, 30, 31])] } };
}

export function definitionOf(plan: Plan): AutomationDefinition {
  return {
    name: 'Look',
    prompt: 'Look at it.',
    conversation: 'new',
    condition: null,
    wake: { kind: 'schedule', schedule: scheduleOf(plan) },
    firing: { trigger: 'match', cooldownSeconds: 0, overlap: 'queue', retryForSeconds: 86_400 },
  };
}
