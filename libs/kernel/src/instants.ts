import type { Branded } from './ids';

/** ISO 8601 in UTC with milliseconds and `Z`; compares as text in the order of time. */
export type Instant = Branded<'Instant'>;

const instantForm = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,3})?Z$/;
const firstEpochMs = Date.parse('0001-01-01T00:00:00.000Z');
const lastEpochMs = Date.parse('9999-12-31T23:59:59.999Z');

/** The instant of a count of milliseconds since the Unix epoch. Throws RangeError outside of the years 1 to 9999. */
export function instantOf(epochMs: number): Instant {
  if (!(epochMs >= firstEpochMs && epochMs <= lastEpochMs))
    throw new RangeError(`not in the years 1 to 9999: ${epochMs}`);
  const text = new Date(epochMs).toISOString();
  // Reason for the assertion: this is where the brand is earned.
  return text as Instant;
}

/** The instant that a date-time in UTC spells; null for any other text, and for a day or time that does not exist. */
export function instantIn(value: unknown): Instant | null {
  if (typeof value !== 'string') return null;
  const seconds = instantForm.exec(value)?.[1];
  const epochMs = Date.parse(value);
  if (seconds === undefined || Number.isNaN(epochMs) || value.startsWith('0000')) return null;
  const instant = instantOf(epochMs);
  // The language takes 30 February for 2 March.
  return instant.startsWith(seconds) ? instant : null;
}

/** Milliseconds since the Unix epoch. */
export function epochMsOf(instant: Instant): number {
  return Date.parse(instant);
}

/** The UTC calendar day of an instant, `YYYY-MM-DD`. */
export function utcDayOf(instant: Instant): string {
  return instant.slice(0, 10);
}
