import { epochMsOf, instantOf, type Instant } from '@app/kernel';
import * as fc from 'fast-check';
import { dayMs, everyShown, firstShown } from '../../test/clock-oracle';
import type { Schedule } from './automation-definition';
import { isCronExpression, latestDue, nextDue } from './schedule';
import { instantAtWall, isZone, wallAt } from './zones';

const at = (text: string): Instant => instantOf(Date.parse(text));
const cron = (expression: string, timezone: string): Schedule => ({ kind: 'cron', expression, timezone });
const anchor = at('2026-01-01T00:00:00Z');
const dues = (schedule: Schedule, from: string, until: string): string[] =>
  dueTimes(schedule, anchor, at(from), at(until), 1000).map((due) => due.replace(':00.000Z', 'Z'));

/** The due times after `from` and not after `until`, oldest first, at most `max` of them. */
function dueTimes(schedule: Schedule, epochAt: Instant, from: Instant, until: Instant, max: number): Instant[] {
  const found: Instant[] = [];
  for (let due = nextDue(schedule, epochAt, from); due !== null && due <= until && found.length < max;) {
    found.push(due);
    due = nextDue(schedule, epochAt, due);
  }
  return found;
}

const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia', 'UTC'];

describe('a cron schedule', () => {
  it('is due at the next valid instant, once, where the clocks leave its time out', () => {
    const days = ['2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z'] as const;
    expect(dues(cron('30 2 * * *', 'Europe/Berlin'), ...days)).toEqual(['2026-03-29T01:00Z', '2026-03-30T00:30Z']);
    expect(dues(cron('*/15 2 * * *', 'Europe/Berlin'), '2026-03-28T12:00:00Z', '2026-03-29T12:00:00Z')).toEqual([
      '2026-03-29T01:00Z',
    ]);
    expect(dues(cron('*/30 1-3 * * *', 'Europe/Berlin'), '2026-03-28T12:00:00Z', '2026-03-29T12:00:00Z')).toEqual([
      '2026-03-29T00:00Z',
      '2026-03-29T00:30Z',
      '2026-03-29T01:00Z',
      '2026-03-29T01:30Z',
    ]);
  });

  it('is due once, at the first, where it names hours and the clocks show its time twice', () => {
    const night = ['2026-10-24T20:00:00Z', '2026-10-25T04:00:00Z'] as const;
    expect(dues(cron('30 2 * * *', 'Europe/Berlin'), ...night)).toEqual(['2026-10-25T00:30Z']);
    expect(dues(cron('*/30 1-3 * * *', 'Europe/Berlin'), '2026-10-24T23:30:00Z', '2026-10-25T02:30:00Z')).toEqual([
      '2026-10-25T00:00Z',
      '2026-10-25T00:30Z',
      '2026-10-25T02:00Z',
      '2026-10-25T02:30Z',
    ]);
    const secondTime = at('2026-10-25T01:30:00Z');
    expect(nextDue(cron('30 2 * * *', 'Europe/Berlin'), anchor, secondTime)).toBe('2026-10-26T01:30:00.000Z');
  });

  it('is due as time passes where its hour is any, or a step', () => {
    const night = ['2026-10-24T23:30:00Z', '2026-10-25T02:30:00Z'] as const;
    const hours = ['2026-10-25T00:00Z', '2026-10-25T01:00Z', '2026-10-25T02:00Z'];
    expect(dues(cron('0 * * * *', 'Europe/Berlin'), ...night)).toEqual(hours);
    expect(dues(cron('0 */2 * * *', 'Europe/Berlin'), ...night)).toEqual(hours.slice(0, 2));
    expect(dues(cron('*/30 * * * *', 'Europe/Berlin'), ...night)).toHaveLength(6);
    // Half an hour is shown twice.
    const lord = ['2026-04-04T13:50:00Z', '2026-04-04T16:05:00Z'] as const;
    expect(dues(cron('0,45 * * * *', 'Australia/Lord_Howe'), ...lord)).toEqual([
      '2026-04-04T14:00Z',
      '2026-04-04T14:45Z',
      '2026-04-04T15:15Z',
      '2026-04-04T15:30Z',
    ]);
    const spring = ['2026-03-29T00:15:00Z', '2026-03-29T02:15:00Z'] as const;
    expect(dues(cron('30 * * * *', 'Europe/Berlin'), ...spring)).toEqual([
      '2026-03-29T00:30Z',
      '2026-03-29T01:00Z',
      '2026-03-29T01:30Z',
    ]);
  });

  it('knows half an hour of daylight saving, and a day that never was', () => {
    expect(dues(cron('15 2 * * *', 'Australia/Lord_Howe'), '2026-10-03T00:00:00Z', '2026-10-04T14:00:00Z')).toEqual([
      '2026-10-03T15:30Z',
    ]);
    expect(dues(cron('0 9 * * *', 'Pacific/Apia'), '2011-12-29T00:00:00Z', '2012-01-01T00:00:00Z')).toEqual([
      '2011-12-29T19:00Z',
      '2011-12-30T10:00Z',
      '2011-12-30T19:00Z',
      '2011-12-31T19:00Z',
    ]);
  });

  it('is due on either day where both are restricted, and on days that are both where one begins with *', () => {
    const first = (expression: string): string[] =>
      dues(cron(expression, 'UTC'), '2025-01-01T00:00:00Z', '2025-02-20T00:00:00Z').map((due) => due.slice(5, 10));
    expect(first('0 9 3,17 * 1').slice(0, 4)).toEqual(['01-03', '01-06', '01-13', '01-17']);
    expect(first('0 9 */2 * 1')).toEqual(['01-13', '01-27', '02-03', '02-17']);
    expect(first('0 9 15 * */3')).toEqual(['01-15', '02-15']);
    expect(first('0 9 1-31 * 1')).toHaveLength(50);
  });

  it('waits for leap days and for the ends of months', () => {
    expect(nextDue(cron('0 0 29 2 *', 'UTC'), anchor, anchor)).toBe('2028-02-29T00:00:00.000Z');
    expect(nextDue(cron('0 0 29 2 *', 'UTC'), anchor, at('2096-03-01T00:00:00Z'))).toBe('2104-02-29T00:00:00.000Z');
    expect(dues(cron('0 0 31 * *', 'UTC'), '2026-01-01T00:00:00Z', '2026-08-01T00:00:00Z')).toEqual(
      ['01', '03', '05', '07'].map((month) => `2026-${month}-31T00:00Z`),
    );
    expect(dues(cron('0 0 L * *', 'UTC'), '2026-01-31T01:00:00Z', '2026-04-01T00:00:00Z')).toEqual([
      '2026-02-28T00:00Z',
      '2026-03-31T00:00Z',
    ]);
  });

  it('is never due on a day that no month has, and that is found out', () => {
    for (const expression of ['0 0 31 2 *', '0 0 30 2 *', '0 0 31 4,6,9,11 *'])
      expect(nextDue(cron(expression, 'Europe/Berlin'), anchor, anchor)).toBeNull();
    expect(latestDue(cron('0 0 31 2 *', 'UTC'), anchor, anchor, at('2027-01-01T00:00:00Z'))).toBeNull();
  });

  it('has five fields', () => {
    for (const expression of ['0 9 * * *', '*/5 0-6 1,15 JAN-MAR MON-FRI', ' 0\t0 * * 7 ', '0 0 ? * 5#3'])
      expect([expression, isCronExpression(expression)]).toEqual([expression, true]);
    for (const expression of [
      '',
      '@daily',
      '0 9 * *',
      '0 0 9 * * *',
      '60 * * * *',
      '0 24 * * *',
      'a b c d e',
      '*/0 * * * *',
    ])
      expect([expression, isCronExpression(expression)]).toEqual([expression, false]);
    for (const expression of ['@daily', '0 0 9 * * *'])
      expect(() => nextDue(cron(expression, 'UTC'), anchor, anchor)).toThrow(RangeError);
  });
});

describe('the other schedules', () => {
  it('every so many seconds counts from the epoch on, on both sides', () => {
    const every: Schedule = { kind: 'every', seconds: 90 };
    expect(nextDue(every, anchor, anchor)).toBe('2026-01-01T00:01:30.000Z');
    expect(nextDue(every, anchor, at('2026-01-01T00:01:30Z'))).toBe('2026-01-01T00:03:00.000Z');
    expect(nextDue(every, anchor, at('2025-12-31T23:58:00Z'))).toBe('2025-12-31T23:58:30.000Z');
    expect(latestDue(every, anchor, anchor, at('2026-01-01T00:01:29.999Z'))).toBeNull();
    expect(latestDue(every, anchor, anchor, at('2026-06-01T00:00:00Z'))).toBe('2026-06-01T00:00:00.000Z');
  });

  it('once is once', () => {
    const once: Schedule = { kind: 'once', at: at('2026-01-01T12:00:00Z') };
    expect(nextDue(once, anchor, anchor)).toBe(once.at);
    expect(nextDue(once, anchor, once.at)).toBeNull();
    expect(latestDue(once, anchor, anchor, once.at)).toBe(once.at);
  });

  it('has nothing due after the last instant that there is', () => {
    expect(nextDue({ kind: 'every', seconds: 60 }, anchor, at('9999-12-31T23:59:30Z'))).toBeNull();
    expect(nextDue(cron('0 0 1 1 *', 'UTC'), anchor, at('9999-06-01T00:00:00Z'))).toBeNull();
  });
});

it('tells zones from what is none', () => {
  for (const zone of [...zones, 'Etc/GMT+5']) expect([zone, isZone(zone)]).toEqual([zone, true]);
  for (const zone of ['', '+01:00', 'Europe/Bielefeld', 'local', 'Europe/Berlin ', 'CET-1CEST'])
    expect([zone, isZone(zone)]).toEqual([zone, false]);
});

describe('in any zone', () => {
  const runs = { numRuns: process.env['FIGURES'] === 'full' ? 2000 : 60 };
  /** From 2005 to 2045, to cover past rules and those without an end. */
  const instants = fc.integer({ min: Date.UTC(2005, 0) / 1000, max: Date.UTC(2045, 0) / 1000 }).map((s) => s * 1000);
  /** Half of them about a day around a change of some zone's clocks. */
  const nearChanges = fc
    .tuple(
      fc.constantFrom('2026-03-29T01:00Z', '2026-10-25T01:00Z', '2026-03-08T07:00Z', '2026-11-01T06:00Z'),
      fc.nat(2000),
    )
    .map(([change, minutes]) => Date.parse(change) + (minutes - 1000) * 60_000);
  const moments = fc.oneof(instants, nearChanges);
  const field = (min: number, max: number): fc.Arbitrary<string> =>
    fc.oneof(
      fc.constant('*'),
      fc.integer({ min, max }).map(String),
      fc.integer({ min: 2, max: Math.max(2, Math.floor(max / 2)) }).map((step) => `*/${step}`),
    );
  const expressions = fc
    .tuple(field(0, 59), field(0, 23), fc.oneof(fc.constant('*'), field(1, 28)), fc.constant('*'), field(0, 6))
    .map((fields) => fields.join(' '));
  const schedules = fc
    .tuple(expressions, fc.constantFrom(...zones))
    .map(([expression, zone]) => cron(expression, zone));

  it('a wall time is shown at its instant, or nowhere before it', () => {
    const shown = (zone: string, epochMs: number): void => {
      expect(instantAtWall(zone, wallAt(zone, epochMs))).toBeLessThanOrEqual(epochMs);
      const backMs = instantAtWall(zone, epochMs);
      expect(wallAt(zone, backMs)).toBeGreaterThanOrEqual(epochMs);
      expect(wallAt(zone, backMs - 1)).toBeLessThan(epochMs);
    };
    fc.assert(fc.property(fc.constantFrom(...zones), moments, shown), { numRuns: runs.numRuns * 5 });
  });

  it('is due strictly later, at no wall time twice where it names hours, and alike however it is asked', () => {
    fc.assert(
      fc.property(schedules, moments, (schedule, startMs) => {
        const from = instantOf(startMs);
        const listed = dueTimes(schedule, anchor, from, at('2060-01-01T00:00:00Z'), 60);
        const walls = new Set<number>();
        let before = from;
        for (const due of listed) {
          expect(due > before).toBe(true);
          expect(nextDue(schedule, anchor, instantOf(epochMsOf(due) - 1))).toBe(due);
          expect(nextDue(schedule, anchor, before)).toBe(due);
          if (schedule.kind === 'cron') walls.add(wallAt(schedule.timezone, epochMsOf(due)));
          before = due;
        }
        const namesHours = schedule.kind === 'cron' && !schedule.expression.split(' ')[1]?.startsWith('*');
        if (namesHours) expect(walls.size).toBe(listed.length);
        const last = listed.at(-1);
        if (last !== undefined) expect(latestDue(schedule, anchor, from, last)).toBe(last);
      }),
      runs,
    );
  });

  it('is due exactly when a clock first shows it, or first goes past it, minute by minute', () => {
    const hours = fc.integer({ min: 0, max: 23 });
    const minutes = fc.integer({ min: 0, max: 59 });
    fc.assert(
      fc.property(fc.constantFrom(...zones), hours, minutes, nearChanges, (zone, hour, minute, startMs) => {
        const until = instantOf(startMs + 2 * dayMs);
        const found = dueTimes(cron(`${minute} ${hour} * * *`, zone), anchor, instantOf(startMs), until, 9);
        expect(found.map(epochMsOf)).toEqual(firstShown(zone, hour * 60 + minute, startMs, epochMsOf(until)));
      }),
      { numRuns: Math.ceil(runs.numRuns / 3) },
    );
  });

  it('is due whenever a clock shows it where its hour is any, and where a clock goes past it', () => {
    const minutes = fc.integer({ min: 0, max: 59 });
    fc.assert(
      fc.property(fc.constantFrom(...zones), minutes, nearChanges, (zone, minute, startMs) => {
        const until = instantOf(startMs + dayMs);
        const found = dueTimes(cron(`${minute} * * * *`, zone), anchor, instantOf(startMs), until, 30);
        expect(found.map(epochMsOf)).toEqual(everyShown(zone, minute, startMs, epochMsOf(until)));
      }),
      { numRuns: Math.ceil(runs.numRuns / 3) },
    );
  });
});
