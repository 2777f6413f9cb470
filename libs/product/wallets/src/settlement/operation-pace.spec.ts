import { epochMsOf } from '@app/kernel';
import { at, expiresAt } from '../../test/operation-facts';
import type { Driven } from './drive-operation';
import { isPatient, nextLook } from './operation-pace';

const nowMs = epochMsOf(at);
const waiting = (over: Partial<Extract<Driven, { readonly do: 'wait' }>> = {}): Driven => ({
  do: 'wait',
  until: null,
  noLaterThan: null,
  progressed: false,
  ...over,
});
const look = (driven: Driven, waits = 0, woken = false) => {
  const next = nextLook(driven, waits, nowMs, woken);
  return next && { inMs: next.atMs - nowMs, waits: next.waits };
};

describe('the next look at an operation', () => {
  it('is none when it is over, whatever the news', () => expect(look({ do: 'over' }, 3, true)).toBeNull());
  it('is at once when there was news meanwhile', () => {
    expect(look(waiting(), 5, true)).toEqual({ inMs: 1, waits: 0 });
    expect(look({ do: 'not_begun' }, 5, true)).toEqual({ inMs: 1, waits: 0 });
  });
  it.each([
    [0, 20],
    [1, 40],
    [11, 40_960],
  ])('after %d looks for its beginning is %d ms later', (waits, inMs) =>
    expect(look({ do: 'not_begun' }, waits)).toEqual({ inMs, waits: waits + 1 }),
  );
  it('is none when it never begins', () => expect(look({ do: 'not_begun' }, 12)).toBeNull());
  it.each([
    [0, 2_000],
    [1, 4_000],
    [8, 512_000],
    [9, 600_000],
    [1_000, 600_000],
  ])('after %d waits in a row is %d ms later', (waits, inMs) =>
    expect(look(waiting(), waits)).toEqual({ inMs, waits: waits + 1 }),
  );
  it('is soon again once something was recorded', () =>
    expect(look(waiting({ progressed: true }), 9)).toEqual({ inMs: 2_000, waits: 1 }));
  it('is when the provider says', () => {
    expect(look(waiting({ until: expiresAt }), 0)).toMatchObject({ inMs: 900_000 });
    expect(look(waiting({ until: at }), 0)).toMatchObject({ inMs: 2_000 });
  });
  it('is not later than when something else can be done', () =>
    expect(look(waiting({ noLaterThan: expiresAt }), 40)).toMatchObject({ inMs: 600_000 }));
  it('is always later than now', () => expect(look(waiting({ noLaterThan: at }), 0)).toMatchObject({ inMs: 1 }));
});

test('patience has an end', () => expect([0, 3, 4].map(isPatient)).toEqual([true, true, false]));
