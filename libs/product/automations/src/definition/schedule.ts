import { epochMsOf, instantOf, unreachable, type Instant } from '@app/kernel';
import { Cron } from 'croner';
import { LRUCache } from 'lru-cache';
import type { Schedule } from './automation-definition';
import { instantAtWall, instantPassing, wallAt } from './zones';

/** Maximum number of parsed expressions that are cached; each is short, and ten thousand rules rarely share more distinct ones. */
const expressionsMax = 4096;
const expressions = new LRUCache<string, { readonly cron: Cron | null }>({ max: expressionsMax });
/** Maximum number of due minutes that are skipped because clocks show them twice and they were due the first time. */
const repeatedMinutesMax = 25 * 60;
const lastEpochMs = Date.parse('9999-12-31T23:59:59.999Z');

/** Whether it is a cron expression of five fields; one whose day never exists (30 February) is valid here. */
export function isCronExpression(expression: string): boolean {
  return cronOf(expression) !== null;
}

/**
 * The first due time strictly after an instant; null when there is none before the year 10000. A cron expression's wall
 * time that the clocks skip is due at the next valid instant. One that is shown twice is due the first time where the
 * expression names hours, and each time where its hour is `*` or a step (docs/decisions/automations.md, "Schedules").
 * Several that fall on one instant are due once. `every` counts from the epoch's first instant, which is not due
 * itself; for earlier instants, which a simulation asks about, it counts backwards.
 *
 * Throws RangeError for a cron expression or a zone that `checkDefinition` refuses.
 *
 * @param epochAt the first instant of the activation epoch
 */
export function nextDue(schedule: Schedule, epochAt: Instant, after: Instant): Instant | null {
  const afterMs = epochMsOf(after);
  const dueMs = nextDueMs(schedule, epochMsOf(epochAt), afterMs);
  return dueMs === null || dueMs > lastEpochMs ? null : instantOf(dueMs);
}

/** The last due time after `from` and not after `until`; null when there is none. Computes few due times, however many there are. */
export function latestDue(schedule: Schedule, epochAt: Instant, from: Instant, until: Instant): Instant | null {
  const epochAtMs = epochMsOf(epochAt);
  const untilMs = epochMsOf(until);
  const dueAfter = (afterMs: number): number | null => {
    const dueMs = nextDueMs(schedule, epochAtMs, afterMs);
    return dueMs !== null && dueMs <= untilMs ? dueMs : null;
  };
  const firstMs = dueAfter(epochMsOf(from));
  return firstMs === null ? null : instantOf(lastDueMs(firstMs, untilMs, dueAfter));
}

/** Bisects, because the next due time grows with the instant that it is computed for. */
function lastDueMs(firstMs: number, untilMs: number, dueAfter: (afterMs: number) => number | null): number {
  let latestMs = firstMs;
  let beyondMs = untilMs;
  // Tried first, because there is rarely another one.
  let middleMs = firstMs;
  while (latestMs < beyondMs) {
    const dueMs = dueAfter(middleMs);
    if (dueMs === null) beyondMs = middleMs;
    else latestMs = dueMs;
    middleMs = Math.floor((latestMs + beyondMs) / 2);
  }
  return latestMs;
}

function nextDueMs(schedule: Schedule, epochAtMs: number, afterMs: number): number | null {
  switch (schedule.kind) {
    case 'cron':
      return nextCronMs(schedule.expression, schedule.timezone, afterMs);
    case 'every': {
      const intervalMs = schedule.seconds * 1000;
      return epochAtMs + (Math.floor((afterMs - epochAtMs) / intervalMs) + 1) * intervalMs;
    }
    case 'once': {
      const atMs = epochMsOf(schedule.at);
      return atMs > afterMs ? atMs : null;
    }
    default:
      return unreachable(schedule);
  }
}

/** The library computes wall times only. It runs in UTC, where each wall time occurs once; the zone then maps them to instants. */
function nextCronMs(expression: string, zone: string, afterMs: number): number | null {
  const cron = cronOf(expression);
  if (cron === null) throw new RangeError('a schedule that no definition can have');
  const nextWall = (wallMs: number): number | null => cron.nextRun(new Date(wallMs))?.getTime() ?? null;
  if (!namesHours(expression)) return instantPassing(zone, afterMs, nextWall);
  let wallMs = wallAt(zone, afterMs);
  for (let tried = 0; tried < repeatedMinutesMax; tried += 1) {
    const next = nextWall(wallMs);
    if (next === null) return null;
    wallMs = next;
    const dueMs = instantAtWall(zone, wallMs);
    if (dueMs > afterMs) return dueMs;
  }
  throw new RangeError(`clocks of ${zone} repeat more than a day`);
}

/** An hour of `*` or a step does not name hours: such a rule follows elapsed time. */
function namesHours(expression: string): boolean {
  const [, hour = ''] = expression.trim().split(/\s+/);
  return !hour.startsWith('*') && hour !== '?';
}

/** Parsed once for all spellings of an expression: the spaces between its fields and the case of names do not matter. */
function cronOf(spelled: string): Cron | null {
  const expression = spelled
    .trim()
    .split(/\s+/)
    .join(' ')
    .replace(/[a-z]/g, (letter) => letter.toUpperCase());
  const known = expressions.get(expression);
  if (known !== undefined) return known.cron;
  const cron = parseCron(expression);
  expressions.set(expression, { cron });
  return cron;
}

function parseCron(expression: string): Cron | null {
  const fields = expression.split(' ');
  // Rejects names for whole expressions (`@daily`), which the library accepts.
  if (fields.length !== 5) return null;
  // crontab: a day field that begins with `*`, also with a step, restricts the other one; the library asks for a lone `*`.
  const domAndDow = [fields[2], fields[4]].some((field) => field?.startsWith('*'));
  try {
    return new Cron(expression, { mode: '5-part', utcOffset: 0, paused: true, domAndDow });
  } catch {
    // The library throws if it cannot parse; it offers no other way to find out.
    return null;
  }
}
