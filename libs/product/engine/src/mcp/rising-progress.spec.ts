import type { ReportedProgress } from '../tool';
import { risingProgress, type GivenProgress } from './rising-progress';

/** The reports that are passed on for what a server gives, in one attempt. */
function passedOn(...given: readonly object[]): ReportedProgress[] {
  const passed: ReportedProgress[] = [];
  const take = risingProgress((one) => passed.push(one));
  // Reason for the assertion: servers may send anything.
  for (const one of given) take(one as GivenProgress);
  return passed;
}

const count = (progress: number) => ({ progress, total: null, message: null });

it('drops what falls behind an earlier report, and passes on an equal one, since its words may differ', () => {
  expect(passedOn({ progress: 0 }, { progress: 2 }, { progress: 1 }, { progress: 2, message: 'still' })).toEqual([
    count(0),
    count(2),
    { ...count(2), message: 'still' },
  ]);
});

it('drops numbers that are none, and does not take them for a bound', () => {
  const odd = [NaN, Infinity, -Infinity, -1, 2 ** 53, '3', null, undefined, {}].map((progress) => ({ progress }));
  expect(passedOn(...odd, { progress: 0.5 })).toEqual([count(0.5)]);
});

it.each([Infinity, NaN, -1, '3', null])('takes a total of %p for unknown', (total) => {
  expect(passedOn({ progress: 1, total })).toEqual([count(1)]);
});

it('takes words that are no text for none', () => {
  expect(passedOn({ progress: 1, total: 3, message: { text: 'no' } })).toEqual([{ ...count(1), total: 3 }]);
});
