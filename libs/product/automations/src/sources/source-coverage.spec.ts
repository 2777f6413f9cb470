import { instantOf, type Instant } from '@app/kernel';
import type { Condition } from '../condition/condition';
import { coverageOf } from './source-coverage';
import { gapAfter, type Sample } from './source-sample';

const minute = (count: number): Instant => instantOf(Date.UTC(2026, 0, 1) + count * 60_000);
const condition: Condition = {
  bindings: [
    { name: 'near', source: { kind: 'token_price', tokenId: 't' }, maxAgeSeconds: 120 },
    { name: 'event', source: { kind: 'event' }, maxAgeSeconds: 60 },
  ],
  rule: { exists: { binding: 'near', field: '' } },
};
const sample = (count: number, status: 'ready' | 'unavailable' = 'ready'): Sample => ({
  at: minute(count),
  status,
  value: status === 'ready' ? {} : null,
  reason: status === 'ready' ? null : 'away',
});
const coverage = (samples: readonly Sample[], from = 0, to = 10) =>
  coverageOf(condition, { near: samples }, minute(from), minute(to));

it('counts what was due and what there is, in each sampled source', () => {
  const samples = [
    ...Array.from({ length: 9 }, (_, index) => sample(index)),
    sample(9, 'unavailable'),
    sample(9.5),
    sample(10),
  ];
  expect(coverage(samples)).toEqual([
    {
      binding: 'near',
      sourceId: 'token_price:t',
      due: 10,
      sampled: 10,
      ready: 10,
      unavailable: 1,
      gaps: [],
      omittedGaps: 0,
    },
  ]);
  expect(coverageOf(null, {}, minute(0), minute(1))).toEqual([]);
});

it('tells the spans of which nothing could be read', () => {
  expect(coverage([])).toMatchObject([{ due: 10, sampled: 0, gaps: [{ from: minute(0), to: minute(10) }] }]);
  const missed = [sample(-1), sample(3), gapAfter(minute(3)), sample(7), sample(7.5)];
  expect(coverage(missed)).toMatchObject([
    {
      sampled: 2,
      ready: 3,
      gaps: [
        { from: minute(1), to: minute(3) },
        { from: minute(5), to: minute(7) },
        { from: minute(9.5), to: minute(10) },
      ],
    },
  ]);
});

it('tells of 50 gaps, and counts the others', () => {
  const sparse = Array.from({ length: 60 }, (_, index) => sample(index * 4));
  const [near] = coverage(sparse, 0, 240);
  expect([near?.gaps.length, near?.omittedGaps]).toEqual([50, 10]);
});
