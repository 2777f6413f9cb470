import * as fc from 'fast-check';
import { codePointLength } from '@app/kernel';
import type { ReportedProgress } from '../tool';
import { CallProgress } from './call-progress';

interface Shown extends ReportedProgress {
  readonly atMs: number;
}

/** The progress of a call, with the frames that it has shown and when. */
function followed() {
  const shown: Shown[] = [];
  const progress = new CallProgress((one) => shown.push({ ...one, atMs: performance.now() }));
  const take = (count: number, message: string | null = null) =>
    progress.take({ progress: count, total: 100, message });
  return { shown, take, end: () => progress.end(), counts: () => shown.map((one) => one.progress) };
}

beforeEach(() => void jest.useFakeTimers({ now: 0 }));
afterEach(() => void jest.useRealTimers());

it('is shown at once, then the newest of what came meanwhile', () => {
  const { take, counts } = followed();
  for (const count of [1, 2, 3]) take(count);
  expect(counts()).toEqual([1]);
  jest.advanceTimersByTime(400);
  expect(counts()).toEqual([1, 3]);
  jest.advanceTimersByTime(5_000);
  take(4);
  expect(counts()).toEqual([1, 3, 4]);
});

it('is shown at most four times in any second, the last one included, however it is reported', () => {
  const pauses = fc.array(fc.nat({ max: 500 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(pauses, (pausesMs) => {
      const { shown, take, end, counts } = followed();
      pausesMs.forEach((pauseMs, index) => {
        take(index);
        jest.advanceTimersByTime(pauseMs);
      });
      expect(end()).toBe(true);
      expect(counts().at(-1)).toBe(pausesMs.length - 1);
      for (const { atMs } of shown)
        expect(shown.filter((one) => one.atMs >= atMs && one.atMs < atMs + 1000).length).toBeLessThanOrEqual(4);
    }),
    { numRuns: 200 },
  );
});

it('is not shown twice, and not after the end', () => {
  const { shown, take, end, counts } = followed();
  take(1, 'on it');
  take(1, ' on \n it ');
  jest.advanceTimersByTime(1_000);
  expect(counts()).toEqual([1]);
  take(2);
  expect(end()).toBe(true);
  take(3);
  jest.advanceTimersByTime(1_000);
  expect([counts(), end()]).toEqual([[1, 2], true]);
  expect(shown).toHaveLength(2);
  expect(followed().end()).toBe(false);
});

it.each([
  ['a line', 'Invoice 2 of 3', 'Invoice 2 of 3'],
  ['several lines, and what a terminal obeys', 'one\r\n\ttwo\u001b[2J\u202e', 'one two\ufffd[2J\ufffd'],
  ['nothing that a reader sees', ' \u200d\ufe0f\n', null],
  ['exactly the bound', '\u{1F600}'.repeat(200), '\u{1F600}'.repeat(200)],
  ['more than the bound', '\u{1F600}'.repeat(201), `${'\u{1F600}'.repeat(199)}…`],
  ['half a character', 'a\ud83d', 'a\ufffd'],
  ['far more than is read', '\u200d'.repeat(10_000) + 'hidden', '…'],
])('has %s as its words', (_what, message, shownAs) => {
  const { shown, take } = followed();
  take(1, message);
  expect(shown[0]?.message).toBe(shownAs);
});

it('has words within their bound, of any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (message) => {
      const { shown, take } = followed();
      take(1, message);
      const line = shown[0]?.message ?? '';
      expect(codePointLength(line)).toBeLessThanOrEqual(200);
      expect(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(line)).toBe(false);
    }),
    { numRuns: 500 },
  );
});

it('costs little where a tool floods it with long words', () => {
  jest.useRealTimers();
  const { shown, take } = followed();
  const words = 'x'.repeat(1024 * 1024);
  const begunAt = performance.now();
  for (let count = 0; count < 100_000; count += 1) take(count, words);
  expect([performance.now() - begunAt < 2_000, shown.length <= 8]).toEqual([true, true]);
});
