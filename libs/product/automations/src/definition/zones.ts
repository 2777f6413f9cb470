import { Temporal } from '@js-temporal/polyfill';
import { LRUCache } from 'lru-cache';

/*
 * Converts between instants and a time zone's wall clock. Wall times are numbers like instants, the milliseconds that a
 * clock in UTC would show: only the functions of this file convert one into the other.
 */

/**
 * A span in which a zone keeps one offset from UTC, from `fromMs` until before `untilMs`. The offset may have applied
 * before `fromMs` too, and may apply from `untilMs` on.
 */
interface Stretch {
  readonly fromMs: number;
  readonly untilMs: number;
  /** Added to an instant, gives the wall time. */
  readonly offsetMs: number;
}

/** No zone was ever further from UTC, so an instant that far back certainly shows an earlier wall time. */
const farthestOffsetMs = 26 * 3_600_000;
/** Maximum number of stretches that are cached, each a zone's name and three numbers: several for every zone. */
const stretchesMax = 4096;
const stretches = new LRUCache<string, Stretch>({ max: stretchesMax });
/** The search for a stretch starts at the beginning of a year, because requests lie close together in time. */
const dayMs = 86_400_000;
const yearMs = 365 * dayMs;

/**
 * Whether the library can compute instants with this name. Asked of the library itself, because ICU knows 25 names
 * (`PST`) that the library does not. Offsets such as `+01:00` are no names.
 */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    offsetMsAt(name, 0);
    return true;
  } catch {
    // The library throws for an unknown zone; it offers no other way to find out.
    return false;
  }
}

/** The wall time of the zone at an instant. */
export function wallAt(zone: string, epochMs: number): number {
  return epochMs + stretchAt(zone, epochMs).offsetMs;
}

/**
 * The first instant at which a clock of the zone shows this wall time. For one that the zone skips (clocks go forward,
 * or a day is skipped) it is the first instant after the gap: the next valid one (docs/decisions/automations.md,
 * `wake`).
 */
export function instantAtWall(zone: string, wallMs: number): number {
  let stretch = stretchAt(zone, wallMs - farthestOffsetMs);
  // Terminates: each turn goes on to a later stretch, and no zone is further from UTC.
  for (;;) {
    const epochMs = wallMs - stretch.offsetMs;
    if (epochMs < stretch.fromMs) return stretch.fromMs;
    if (epochMs < stretch.untilMs) return epochMs;
    stretch = stretchAt(zone, stretch.untilMs);
  }
}

/**
 * The first instant after another at which a clock of the zone shows a wanted wall time, however often that is shown,
 * or passes one that the zone skips; null when no wanted one follows.
 *
 * @param nextWall the first wanted wall time after another; null when there is none
 */
export function instantPassing(
  zone: string,
  afterMs: number,
  nextWall: (wallMs: number) => number | null,
): number | null {
  let stretch = stretchAt(zone, afterMs);
  let wallMs = afterMs + stretch.offsetMs;
  // Terminates: each turn goes on to a later stretch, and a wanted wall time is at most some years away.
  for (;;) {
    const next = nextWall(wallMs);
    if (next === null) return null;
    if (next - stretch.offsetMs < stretch.untilMs) return next - stretch.offsetMs;
    stretch = stretchAt(zone, stretch.untilMs);
    const firstWallMs = stretch.fromMs + stretch.offsetMs;
    if (next < firstWallMs) return stretch.fromMs;
    // Its first wall time may itself be wanted.
    wallMs = firstWallMs - 1;
  }
}

/** Steps from the stretch of the year's first instant to the one that contains the instant; a year has few. */
function stretchAt(zone: string, epochMs: number): Stretch {
  let stretch = keptStretch(zone, Math.floor(epochMs / yearMs) * yearMs);
  while (epochMs >= stretch.untilMs) stretch = keptStretch(zone, stretch.untilMs);
  return stretch;
}

function keptStretch(zone: string, epochMs: number): Stretch {
  // The case of a zone's name does not matter.
  const key = `${zone.toLowerCase()} ${epochMs}`;
  const kept = stretches.get(key);
  if (kept !== undefined) return kept;
  const found = stretchOf(zone, epochMs);
  stretches.set(key, found);
  return found;
}

/**
 * The stretch from an instant that is a transition or the first of a year, until the next transition or the end of that
 * year. Earlier transitions do not matter, because it is not used for earlier instants. Compares the offsets of each
 * day: the library's `getTimeZoneTransition` compares those of every second week, and misses two transitions in between
 * that cancel each other (Asia/Gaza in October 2040; tc39/proposal-temporal#3110).
 */
function stretchOf(zone: string, fromMs: number): Stretch {
  const endMs = (Math.floor(fromMs / yearMs) + 1) * yearMs;
  const nameAt = offsetNames(zone);
  const name = nameAt(fromMs);
  const offsetMs = offsetMsAt(zone, fromMs);
  for (let knownMs = fromMs; knownMs < endMs; knownMs += dayMs) {
    const nextMs = Math.min(knownMs + dayMs, endMs);
    if (nameAt(nextMs) !== name)
      return { fromMs, untilMs: firstOtherwise(knownMs, nextMs, (epochMs) => nameAt(epochMs) === name), offsetMs };
  }
  return { fromMs, untilMs: endMs, offsetMs };
}

/** The first instant for which `isSame` does not hold, between one for which it does and one for which it does not. */
function firstOtherwise(sameMs: number, otherMs: number, isSame: (epochMs: number) => boolean): number {
  let [low, high] = [sameMs, otherMs];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isSame(middle)) low = middle;
    else high = middle;
  }
  return high;
}

/** Returns a function that names the zone's offset at an instant (`GMT+02:00`), in a twentieth of the library's time. */
function offsetNames(zone: string): (epochMs: number) => string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, hour: 'numeric', timeZoneName: 'longOffset' });
  return (epochMs) => {
    const text = format.format(epochMs);
    return text.slice(text.indexOf('GMT'));
  };
}

function offsetMsAt(zone: string, epochMs: number): number {
  return Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(zone).offsetNanoseconds / 1_000_000;
}
