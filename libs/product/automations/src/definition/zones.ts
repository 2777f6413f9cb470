import { Temporal } from '@js-temporal/polyfill';
import { LRUCache } from 'lru-cache';

/*
 * Instants of a time zone's wall clock. Wall times are counted like instants, as milliseconds that a clock in UTC would show:
 * so the two are a number each, and nothing but the functions of this file turns one into the other.
 */

/** A span in which a zone keeps one distance from UTC: from `fromMs` on, until before `untilMs`. It may have begun before. */
interface Stretch {
  readonly fromMs: number;
  readonly untilMs: number;
  /** What is added to an instant for the wall time. */
  readonly offsetMs: number;
}

/** No zone was ever further from UTC; what lies that far back shows an earlier wall time for certain. */
const farthestOffsetMs = 26 * 3_600_000;
/** Stretches that are kept, by number, for each is a zone's name and three numbers: some for each of the zones that there are. */
const stretchesMax = 4096;
const stretches = new LRUCache<string, Stretch>({ max: stretchesMax });
/** Where the search for a stretch begins: what is asked about lies close together in time. */
const yearMs = 365 * 86_400_000;

/**
 * Whether instants can be computed by this name: asked of the library that computes them, since ICU knows 25 names (`PST`) that it does
 * not. Distances such as `+01:00` are no names.
 */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    offsetMsAt(name, 0);
    return true;
  } catch {
    // The only way to ask: an unknown zone throws.
    return false;
  }
}

/** What a clock on a wall of the zone shows at an instant. */
export function wallAt(zone: string, epochMs: number): number {
  return epochMs + stretchAt(zone, epochMs).offsetMs;
}

/**
 * The first instant at which a clock of the zone shows this wall time. One that the zone leaves out (clocks go forward, or a day is
 * skipped) is the first instant after the gap: the next valid one (docs/decisions/automations.md, `wake`).
 */
export function instantAtWall(zone: string, wallMs: number): number {
  let stretch = stretchAt(zone, wallMs - farthestOffsetMs);
  // Ends: each turn goes on to a later stretch, and the last one of a zone has no end.
  for (;;) {
    const epochMs = wallMs - stretch.offsetMs;
    if (epochMs < stretch.fromMs) return stretch.fromMs;
    if (epochMs < stretch.untilMs) return epochMs;
    stretch = stretchAt(zone, stretch.untilMs);
  }
}

/**
 * The first instant after another at which a clock of the zone shows a wanted wall time, as often as it is shown, or goes past one that
 * the zone leaves out; null when none is wanted any more.
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
  // Ends: each turn goes on to a later stretch, and the last one of a zone has no end.
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

/** Goes from the stretch of the year's first instant to the one that holds the instant; there are few in a year. */
function stretchAt(zone: string, epochMs: number): Stretch {
  let stretch = keptStretch(zone, Math.floor(epochMs / yearMs) * yearMs);
  while (epochMs >= stretch.untilMs) stretch = keptStretch(zone, stretch.untilMs);
  return stretch;
}

function keptStretch(zone: string, epochMs: number): Stretch {
  const key = `${zone} ${epochMs}`;
  const kept = stretches.get(key);
  if (kept !== undefined) return kept;
  const found = stretchOf(zone, epochMs);
  stretches.set(key, found);
  return found;
}

/**
 * The stretch from an instant on that is a transition or the first of a year. Earlier transitions do not matter: nothing before that instant
 * is asked of it. The library's search for them never ends for Europe/Simferopol in 1970 to 1981.
 */
function stretchOf(zone: string, fromMs: number): Stretch {
  const here = Temporal.Instant.fromEpochMilliseconds(fromMs).toZonedDateTimeISO(zone);
  const untilMs = here.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity;
  return { fromMs, untilMs, offsetMs: here.offsetNanoseconds / 1_000_000 };
}

function offsetMsAt(zone: string, epochMs: number): number {
  return Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(zone).offsetNanoseconds / 1_000_000;
}
