import fc from 'fast-check';
import { epochMsOf, instantIn, instantOf, utcDayOf } from './instants';

const firstMs = Date.parse('0001-01-01T00:00:00.000Z');
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');
const someMs = fc.integer({ min: firstMs, max: lastMs });

describe('instants', () => {
  it('are ISO 8601 in UTC with milliseconds and Z', () => {
    expect(instantOf(0)).toBe('1970-01-01T00:00:00.000Z');
    expect(instantOf(-1)).toBe('1969-12-31T23:59:59.999Z');
    expect(instantOf(1_709_164_800_007)).toBe('2024-02-29T00:00:00.007Z');
  });

  it('keep every millisecond of the years 1 to 9999', () => {
    fc.assert(fc.property(someMs, (ms) => epochMsOf(instantOf(ms)) === ms));
    expect([instantOf(firstMs), instantOf(lastMs)]).toEqual(['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z']);
  });

  it('compare as text in the order of time', () => {
    fc.assert(
      fc.property(someMs, someMs, (one, other) => Math.sign(one - other) === compare(instantOf(one), instantOf(other))),
    );
  });

  it.each([firstMs - 1, lastMs + 1, Date.parse('0000-06-01T00:00:00.000Z'), 8.64e15, 9e15, NaN, Infinity])(
    'refuse %p',
    (ms) => expect(() => instantOf(ms)).toThrow(RangeError),
  );

  it('know their day and month in UTC', () => {
    const instant = instantOf(Date.parse('2024-03-01T00:30:00.000+01:00'));
    expect(utcDayOf(instant)).toBe('2024-02-29');
  });
});

describe('an instant that is given', () => {
  it.each([
    ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01t10:00:00.5z', '2026-03-01T10:00:00.500Z'],
    ['2026-03-01T10:00:00+00:00', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00:00-00:00', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00:00.1234567+01:00', '2026-03-01T09:00:00.123Z'],
    ['2026-02-28T23:30:00.999999999-05:45', '2026-03-01T05:15:00.999Z'],
    ['1969-12-31T23:59:59.9999Z', '1969-12-31T23:59:59.999Z'],
    ['2026-03-01T00:00:00+23:59', '2026-02-28T00:01:00.000Z'],
    ['0000-12-31T23:30:00-01:00', '0001-01-01T00:30:00.000Z'],
    ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999Z'],
    ['0001-01-01T00:00:00.000000000Z', '0001-01-01T00:00:00.000Z'],
    // Leap seconds, which our clocks do not count.
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z'],
    ['1990-12-31T15:59:60.5-08:00', '1990-12-31T23:59:59.999Z'],
  ])('%s is %s', (given, instant) => expect(instantIn(given)).toBe(instant));

  it.each([
    '',
    '2026-03-01',
    '2026-03-01T10:00Z',
    '2026-03-01T10:00:00',
    '2026-03-01 10:00:00Z',
    ' 2026-03-01T10:00:00Z',
    '2026-03-01T10:00:00Z\n',
    '2026-03-01T10:00:00.Z',
    '2026-03-01T10:00:00,5Z',
    '2026-03-01T10:00:00.1234567890Z',
    '2026-03-01T10:00:00+1:00',
    '2026-03-01T10:00:00+0100',
    '2026-03-01T10:00:00+01',
    '2026-03-01T10:00:00 01:00',
    '2026-03-01T10:00:00+24:00',
    '2026-03-01T10:00:00+01:60',
    '2026-03-01T10:00:00Z+01:00',
    '+002026-03-01T10:00:00Z',
    '2026-02-30T10:00:00Z',
    '2026-02-29T10:00:00+01:00',
    '2026-13-01T10:00:00Z',
    '2026-00-01T10:00:00Z',
    '2026-03-01T24:00:00Z',
    '2026-03-01T10:60:00Z',
    '2026-03-01T10:00:61Z',
    '2026-03-00T10:00:00Z',
    '2016-12-31T22:59:60Z',
    '2016-12-30T23:59:60Z',
    '2016-12-31T23:59:60+01:00',
    '2026-03-01T10:00:60Z',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:59:59+01:00',
    '9999-12-31T23:00:00-01:00',
    '10000-01-01T00:00:00Z',
    '２０２６-03-01T10:00:00Z',
    1_709_164_800_007,
    null,
    undefined,
    {},
    ['2026-03-01T10:00:00Z'],
  ])('%j is none', (given) => expect(instantIn(given)).toBeNull());

  it('is the same instant in whatever zone and precision it is written', () => {
    const offsets = fc.integer({ min: -(24 * 60 - 1), max: 24 * 60 - 1 });
    const away = 86_400_000;
    fc.assert(
      fc.property(
        fc.integer({ min: firstMs + away, max: lastMs - away }),
        offsets,
        fc.nat(999_999),
        (ms, offset, nanos) => {
          const wall = instantOf(ms + offset * 60_000).slice(0, -1);
          const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
            String(part).padStart(2, '0'),
          );
          const given = `${wall}${String(nanos).padStart(6, '0')}${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
          expect([given, instantIn(given)]).toEqual([given, instantOf(ms)]);
        },
      ),
    );
  });
});

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
