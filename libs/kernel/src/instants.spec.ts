import fc from 'fast-check';
import { epochMsOf, instantOf, utcDayOf } from './instants';

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

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
