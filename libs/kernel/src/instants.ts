import type { Branded } from './ids';

/** ISO 8601 in UTC with milliseconds and `Z`; compares as text in the order of time. */
export type Instant = Branded<'Instant'>;

/** The instant of a count of milliseconds since the Unix epoch. Throws RangeError outside of the years 1 to 9999. */
export function instantOf(epochMs: number): Instant {
  const text = new Date(epochMs).toISOString();
  if (text.length !== 24) throw new RangeError(`no four-digit year: ${text}`);
  // Reason for the assertion: this is where the brand is earned.
  return text as Instant;
}

/** Milliseconds since the Unix epoch. */
export function epochMsOf(instant: Instant): number {
  return Date.parse(instant);
}

/** The UTC calendar day of an instant, `YYYY-MM-DD`. */
export function utcDayOf(instant: Instant): string {
  return instant.slice(0, 10);
}

/** The UTC calendar month of an instant, `YYYY-MM`. */
export function utcMonthOf(instant: Instant): string {
  return instant.slice(0, 7);
}
