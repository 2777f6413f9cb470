import { epochMsOf, instantOf, type Instant } from '@app/kernel';
import type { Condition } from '../condition/condition';
import { gapAfter, gridInstant, nextGridInstant, readingsAt, type Sample } from './source-sample';

const start = instantOf(Date.parse('2026-03-01T10:00:00.000Z'));
const after = (seconds: number): Instant => instantOf(epochMsOf(start) + seconds * 1000);

const condition: Condition = {
  bindings: [
    { name: 'near', source: { kind: 'token_price', tokenId: 'nep141:wrap.near' }, maxAgeSeconds: 300 },
    { name: 'call', source: { kind: 'event' }, maxAgeSeconds: 300 },
  ],
  rule: { exists: { binding: 'near', field: '/priceUsd' } },
};

const sampleAt = (seconds: number, priceUsd: string): Sample => ({
  at: after(seconds),
  status: 'ready',
  value: { tokenId: 'nep141:wrap.near', priceUsd },
  reason: null,
});

const nearAt = (samples: readonly Sample[], at: Instant) => readingsAt(condition, { near: samples }, at, null)['near'];

describe('what was known of a source', () => {
  const samples = [sampleAt(0, '2'), sampleAt(60, '3'), sampleAt(75, '4'), sampleAt(120, '5')];

  it.each([
    [0, '2'],
    [59, '2'],
    [60, '3'],
    [74, '3'],
    [75, '4'],
    [200, '5'],
    [240, '5'],
  ])('is its last sample, after %d s', (seconds, priceUsd) => {
    expect(nearAt(samples, after(seconds))).toMatchObject({ status: 'ready', value: { priceUsd } });
  });

  it('is nothing before the first', () => expect(nearAt(samples, after(-1))).toBeUndefined());

  it('is a gap once two samples were due and are not there', () => {
    expect(nearAt(samples, after(240.001))).toMatchObject({ status: 'gap', value: null, sourceTime: after(120) });
  });

  it('is the same gap by its age and by its record', () => {
    const recorded = [...samples, gapAfter(after(120))];
    for (const seconds of [0, 120, 240, 240.001, 241, 500]) {
      expect(nearAt(recorded, after(seconds))?.status).toBe(nearAt(samples, after(seconds))?.status);
    }
  });

  it('names each sample by its source and instant', () => {
    const names = samples.map(({ at }) => nearAt(samples, at)?.eventId);
    expect(new Set(names).size).toBe(samples.length);
    expect(nearAt(samples, after(76))?.eventId).toBe(nearAt(samples, after(80))?.eventId);
  });

  it('is an event only where one is delivered', () => {
    const event = { id: 'e1', type: 'paid', occurredAt: after(5), data: { amount: 3 } };
    const readings = readingsAt(condition, {}, after(7), { event, receivedAt: after(6) });
    expect(readings['call']).toMatchObject({ kind: 'received_event', providerPublishedAt: after(5), value: event });
    expect(readingsAt(condition, {}, after(7), null)['call']).toBeUndefined();
  });
});

describe('the grid of samples', () => {
  it('is the whole minutes', () => {
    expect(gridInstant(after(59.999))).toBe(start);
    expect(gridInstant(start)).toBe(start);
    expect(nextGridInstant(start)).toBe(after(60));
    expect(nextGridInstant(after(59.999))).toBe(after(60));
  });

  it('holds before 1970 too', () => expect(gridInstant(instantOf(-1))).toBe(instantOf(-60_000)));
});
