import { restAfter } from './resting';

describe('work in the background', () => {
  it('takes nearly all of the time where there is nothing else to do', () => {
    expect(restAfter(20, 0.04)).toBe(0);
    expect(restAfter(100, 0.04)).toBe(5);
  });

  it('takes an eighth of the time where the others take a quarter, and less where they take more', () => {
    const shareOf = (busy: number) => 50 / (50 + restAfter(50, busy));
    expect(shareOf(0.25)).toBeCloseTo(1 / 8, 1);
    expect(shareOf(0.8)).toBeLessThan(0.04);
  });

  it('goes on even where there is no time left', () => {
    expect(restAfter(100, 1)).toBe(2_000);
    expect(restAfter(60_000, 1)).toBe(2_000);
  });
});
