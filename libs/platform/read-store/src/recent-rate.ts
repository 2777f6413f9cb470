/** Over so long a time it is reckoned. */
const windowMs = 2_000;

/** How many a second there were of late. */
export class RecentRate {
  private sinceMs = performance.now();
  private count = 0;
  private perSecond = 0;

  /** Takes so many more, and answers the rate of the last window that is over. */
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

  /** As `RecentRate.after`, of one of them. */
  after(name: string, count: number): number {
    const rate = this.rates.get(name) ?? new RecentRate();
    this.rates.set(name, rate);
    return rate.after(count);
  }
}
