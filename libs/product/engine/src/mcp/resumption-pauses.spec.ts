import { ResumptionPauses } from './resumption-pauses';

it('the pauses that a server may ask for are between a growing least one and half a minute', () => {
  const pausesOf = (askedMs: number, count: number): readonly number[] => {
    const pauses = new ResumptionPauses(() => 0);
    return Array.from({ length: count }, () => pauses.next(askedMs));
  };
  expect(pausesOf(0, 8)).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  expect(pausesOf(700, 5)).toEqual([700, 700, 700, 800, 1_600]);
  for (const huge of [60_000, 2 ** 31, 1e300, Infinity]) expect(pausesOf(huge, 1)).toEqual([30_000]);
});

it('a stream that lasted for a minute is resumed after a short pause again', () => {
  let nowMs = 0;
  const pauses = new ResumptionPauses(() => nowMs);
  expect([pauses.next(0), pauses.next(0)]).toEqual([100, 200]);
  nowMs = 60_100;
  expect(pauses.next(0)).toBe(400);
  nowMs = 120_501;
  expect(pauses.next(0)).toBe(100);
});
