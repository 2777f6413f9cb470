import type { Schedule } from '@app/automations';
import { epochMsOf, type Instant } from '@app/kernel';

/**
 * A schedule in a separate notation, so that its due times can be computed without the product's parser and library.
 */
export type Plan =
  | {
      readonly kind: 'cron';
      readonly zone: string;
      readonly minute: number;
      readonly hours: readonly number[];
      /** Days of the week (0 is Sunday) or of the month; null: every day. */
      readonly days: { readonly of: 'week' | 'month'; readonly numbers: readonly number[] } | null;
    }
  | { readonly kind: 'every'; readonly seconds: number }
  | { readonly kind: 'once'; readonly at: Instant };

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** The plan as a definition expresses it. */
export function scheduleOf(plan: Plan): Schedule {
  if (plan.kind !== 'cron') return plan;
  const { zone, minute, hours, days } = plan;
  const ofMonth = days?.of === 'month' ? days.numbers.join() : '*';
  const ofWeek = days?.of === 'week' ? days.numbers.join() : '*';
  return { kind: 'cron', expression: `${minute} ${hours.join()} ${ofMonth} * ${ofWeek}`, timezone: zone };
}

/** Every due time after `from` and not after `to`, in milliseconds, oldest first. */
export function dueOf(plan: Plan, fromMs: number, toMs: number): number[] {
  const found = [...everyDue(plan, fromMs, toMs)].filter((ms) => ms > fromMs && ms <= toMs);
  return [...new Set(found)].sort((one, other) => one - other);
}

function everyDue(plan: Plan, fromMs: number, toMs: number): number[] {
  if (plan.kind === 'once') return [epochMsOf(plan.at)];
  if (plan.kind === 'every') {
    const count = Math.floor((toMs - fromMs) / (plan.seconds * 1000));
    return Array.from({ length: count }, (_, index) => fromMs + (index + 1) * plan.seconds * 1000);
  }
  const spans = spansOf(plan.zone, fromMs - 2 * dayMs, toMs + 2 * dayMs);
  const found: number[] = [];
  for (let day = startOfDay(fromMs) - dayMs; day <= toMs + dayMs; day += dayMs) {
    if (!isOnDay(plan, new Date(day))) continue;
    for (const hour of plan.hours) found.push(instantOfWall(spans, day + hour * hourMs + plan.minute * 60_000));
  }
  return found;
}

function startOfDay(ms: number): number {
  return Math.floor(ms / dayMs) * dayMs;
}

function isOnDay({ days }: Extract<Plan, { readonly kind: 'cron' }>, day: Date): boolean {
  if (days === null) return true;
  return days.numbers.includes(days.of === 'week' ? day.getUTCDay() : day.getUTCDate());
}

/** A stretch of time in which a zone's clocks are this much ahead of UTC. */
interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  readonly aheadMs: number;
}

/**
 * The first instant at which clocks show a wall time (counted as if in UTC), or the instant of the leap if they skip
 * it.
 */
function instantOfWall(spans: readonly Span[], wallMs: number): number {
  const shown = spans.map((span) => ({ ...span, atMs: wallMs - span.aheadMs }));
  const showing = shown.find(({ atMs, fromMs, toMs }) => atMs >= fromMs && atMs < toMs);
  // A skipped wall time: by the clocks of the next span it falls before that span's beginning.
  const after = showing ?? shown.find(({ atMs, fromMs }) => atMs < fromMs);
  if (after === undefined) throw new RangeError('a wall time beyond the spans');
  return Math.max(after.atMs, after.fromMs);
}

const spansKnown = new Map<string, readonly Span[]>();

function spansOf(zone: string, fromMs: number, toMs: number): readonly Span[] {
  const key = `${zone} ${fromMs} ${toMs}`;
  const known = spansKnown.get(key) ?? foundSpans(zone, fromMs, toMs);
  spansKnown.set(key, known);
  return known;
}

/** Samples the zone's offset every six hours, and locates each change to the second. */
function foundSpans(zone: string, fromMs: number, toMs: number): readonly Span[] {
  const ahead = aheadIn(zone);
  const spans: Span[] = [];
  let began = fromMs;
  for (let ms = fromMs; ms < toMs; ms += 6 * hourMs) {
    if (ahead(ms) === ahead(ms + 6 * hourMs)) continue;
    let [before, after] = [ms, ms + 6 * hourMs];
    while (after - before > 1000) {
      const middle = Math.floor((before + after) / 2000) * 1000;
      if (ahead(middle) === ahead(ms)) before = middle;
      else after = middle;
    }
    spans.push({ fromMs: began, toMs: after, aheadMs: ahead(ms) });
    began = after;
  }
  return [...spans, { fromMs: began, toMs: Infinity, aheadMs: ahead(toMs) }];
}

/** A function that returns the offset of a zone's clocks from UTC at an instant. */
function aheadIn(zone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  return (ms) => {
    const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(name) ?? [];
    const distance = Number(hours ?? 0) * hourMs + Number(minutes ?? 0) * 60_000;
    return sign === '-' ? -distance : distance;
  };
}
