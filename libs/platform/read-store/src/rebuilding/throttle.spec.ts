import { pauseAfter } from './throttle';

describe('work in the background', () => {
  it('takes nearly all of the time where there is nothing else to do', () => {
    expect(pauseAfter(20, 0.04)).toBe(0);
    expect(pauseAfter(100, 0.04)).toBe(5);
  });

  it('takes an eighth of the time where the others take a quarter, and less where they take more', () => {
    const shareOf = (busy: number) => 50 / (50 + pauseAfter(50, busy));
    expect(shareOf(0.25)).toBeCloseTo(1 / 8, 1);
    expect(shareOf(0.8)).toBeLessThan(0.04);
  });

  it('goes on even where there is no time left', () => {
    expect(pauseAfter(100, 1)).toBe(2_000);
    expect(pauseAfter(60_000, 1)).toBe(2_000);
  });
});
