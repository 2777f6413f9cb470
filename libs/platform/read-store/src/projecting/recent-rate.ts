/** Length of the window over which the rate is measured. */
const windowMs = 2_000;

/** Measures a recent rate per second. */
export class RecentRate {
  private sinceMs = performance.now();
  private count = 0;
  private perSecond = 0;

  /** Counts more, and returns the rate of the last complete window. */
  after(count: number): number {
    this.count += count;
    const elapsedMs = performance.now() - this.sinceMs;
    if (elapsedMs >= windowMs) {
      this.perSecond = (this.count * 1_000) / elapsedMs;
      this.count = 0;
      this.sinceMs += elapsedMs;
    }
    return this.perSecond;
  }
}

/** Rates by name. */
export class RecentRates {
  private readonly rates = new Map<string, RecentRate>();

  /** As `RecentRate.after`, for one of them. */
  after(name: string, count: number): number {
    const rate = this.rates.get(name) ?? new RecentRate();
    this.rates.set(name, rate);
    return rate.after(count);
  }
}
