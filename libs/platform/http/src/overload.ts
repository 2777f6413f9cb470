import type { Metrics } from '@app/runtime';
import { Counter, Gauge } from 'prom-client';
import type { RoutePlan } from './request-context';

/** A line that is shorter-lived is a burst, or a pause of garbage collection, and no overload. */
const windowMs = 500;
/** How much longer the line may be meanwhile. */
const burstFactor = 8;
/** Of what goes on with something that was accepted, so many times as many are let in. */
const goingOnFactor = 4;
/** Refused clients are asked to come back at some moment within so many seconds, so that not all do at once. */
const comeBackWithinSeconds = 3;

/** What is known of a request before it is served; null when no route matched. */
type Asked = Pick<RoutePlan, 'begins' | 'waits'> | null;

/**
 * Refuses requests of an overloaded process before they cost anything, so that those which it accepts are served in time. What shows an
 * overload is a line that does not go away: more requests under way than `atOnceMax` at every moment of half a second, whatever they
 * wait for. From then on no more than that are let in, until half a second passes in which nobody had to be refused, or nothing was to do.
 */
export class Overload {
  private readonly refused: Counter;
  private underWay = 0;
  /** The fewest under way since the last look. */
  private fewest = 0;
  private refusedSinceLook = 0;
  private lookedAtMs = performance.now();
  private isOverloaded = false;

  /** @param atOnceMax requests under way beyond which they wait in line */
  constructor(
    private readonly atOnceMax: number,
    metrics: Metrics,
  ) {
    const registers = [metrics.registry];
    this.refused = new Counter({
      name: 'http_requests_overload_refused_total',
      help: 'Requests that were answered 429 since the process was overloaded',
      registers,
    });
    const underWay = (): number => this.underWay;
    new Gauge({
      name: 'http_requests_under_way',
      help: 'Requests that are worked on now, without those that wait for something outside of the deployment',
      registers,
      collect() {
        this.set(underWay());
      },
    });
  }

  /** After how many seconds the client may come back; null when the request is let in. */
  refuses(asked: Asked): number | null {
    this.look();
    const atOnceMax = this.atOnceMax * (asked?.begins === false ? goingOnFactor : 1);
    if (this.underWay < (this.isOverloaded ? atOnceMax : atOnceMax * burstFactor)) return null;
    this.refusedSinceLook += 1;
    this.refused.inc();
    return 1 + Math.floor(Math.random() * comeBackWithinSeconds);
  }

  /** Work on a request begins; it ends when what this answers is called, the first time. */
  begin(asked: Asked): () => void {
    if (asked?.waits === true) return () => undefined;
    this.underWay += 1;
    let isUnderWay = true;
    return () => {
      if (!isUnderWay) return;
      isUnderWay = false;
      this.underWay -= 1;
      this.fewest = Math.min(this.fewest, this.underWay);
    };
  }

  private look(): void {
    const nowMs = performance.now();
    if (nowMs - this.lookedAtMs < windowMs) return;
    const goesOn = this.isOverloaded && this.refusedSinceLook > 0 && this.fewest > 0;
    this.isOverloaded = goesOn || this.fewest >= this.atOnceMax;
    this.lookedAtMs = nowMs;
    this.fewest = this.underWay;
    this.refusedSinceLook = 0;
  }
}
