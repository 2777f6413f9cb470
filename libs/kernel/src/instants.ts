import type { Branded } from './ids';

/** ISO 8601 in UTC with milliseconds and `Z`; compares as text in the order of time. */
export type Instant = Branded<'Instant'>;

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

/** Milliseconds since the Unix epoch. */
export function epochMsOf(instant: Instant): number {
  return Date.parse(instant);
}

/** The UTC calendar day of an instant, `YYYY-MM-DD`. */
export function utcDayOf(instant: Instant): string {
  return instant.slice(0, 10);
}
