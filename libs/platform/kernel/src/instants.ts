import type { Branded } from './ids';

/** ISO 8601 in UTC with milliseconds and `Z`; sorting as text is sorting by time. */
export type Instant = Branded<'Instant'>;

/** The spellings of a date-time that RFC 3339 allows, up to nanoseconds; whether the day exists is not checked here. */
export const instantForm =
  /^(\d{4}-\d\d-\d\d)[Tt]((?:[01]\d|2[0-3]):[0-5]\d):([0-5]\d|60)(?:\.(\d{1,9}))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/** The requirement on an instant in a request. */
export const instantRule = 'must be an RFC 3339 date-time with an offset or Z, and at most nine fraction digits';

const firstEpochMs = Date.parse('0001-01-01T00:00:00.000Z');
const lastEpochMs = Date.parse('9999-12-31T23:59:59.999Z');

/** The instant of a number of milliseconds since the Unix epoch. Throws RangeError outside the years 1 to 9999. */
export function instantOf(epochMs: number): Instant {
  if (!isWithin(epochMs)) throw new RangeError(`not in the years 1 to 9999: ${epochMs}`);
  const text = new Date(epochMs).toISOString();
  // Reason for the assertion: the check above justifies the brand.
  return text as Instant;
}

/**
 * Parses an RFC 3339 date-time into an instant, in UTC and rounded down to milliseconds (docs/decisions/conventions.md, "Ids and values");
 * null for any other value, for a day that does not exist, and outside the years 1 to 9999. A leap second, which our clocks do not count,
 * becomes the last millisecond before it.
 */
export function instantIn(value: unknown): Instant | null {
  const given = typeof value === 'string' ? instantForm.exec(value) : null;
  if (given === null) return null;
  const [, day = '', minute = '', second = '', fraction = '', ...offset] = given;
  const isLeap = second === '60';
  const millisecond = isLeap ? '999' : fraction.padEnd(3, '0').slice(0, 3);
  const wallMs = epochMsIn(`${day}T${minute}:${isLeap ? '59' : second}.${millisecond}Z`);
  if (wallMs === null) return null;
  const epochMs = wallMs - offsetMsOf(offset);
  return isWithin(epochMs) && (!isLeap || endsMonth(epochMs)) ? instantOf(epochMs) : null;
}

/** The offset in milliseconds of a sign, hours and minutes as matched by the form; all are undefined for `Z`. */
function offsetMsOf([sign = '+', hours = '0', minutes = '0']: readonly (string | undefined)[]): number {
  return Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** Null for a day that does not exist, because JavaScript parses 30 February as 2 March. */
function epochMsIn(text: string): number | null {
  const epochMs = Date.parse(text);
  return !Number.isNaN(epochMs) && new Date(epochMs).toISOString() === text ? epochMs : null;
}

function isWithin(epochMs: number): boolean {
  return epochMs >= firstEpochMs && epochMs <= lastEpochMs;
}

/** Leap seconds are inserted at the end of a month in UTC (RFC 3339, section 5.7). */
function endsMonth(epochMs: number): boolean {
  return new Date(epochMs + 1).toISOString().endsWith('-01T00:00:00.000Z');
}

/** Milliseconds since the Unix epoch. */
export function epochMsOf(instant: Instant): number {
  return Date.parse(instant);
}

/** The UTC calendar day of an instant, `YYYY-MM-DD`. */
export function utcDayOf(instant: Instant): string {
  return instant.slice(0, 10);
}
