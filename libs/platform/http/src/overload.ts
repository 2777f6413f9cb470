import type { Metrics } from '@app/runtime';
import { Counter, Gauge } from 'prom-client';
import type { RoutePlan } from './request/request-context';

/** A queue that lasts less than this is a burst or a garbage collection pause, not an overload. */
const windowMs = 500;
/** Factor by which the queue may exceed the limit meanwhile. */
const burstFactor = 8;
/** For requests that continue accepted work, the limit is this many times higher. */
const continuingFactor = 4;
/** Refused clients are asked to retry at a random moment within this many seconds, so that not all do so at once. */
const retryWithinSeconds = 3;

/** The part of a route's plan that is evaluated before a request is served; null if no route matched. */
type Asked = Pick<RoutePlan, 'begins' | 'waits'> | null;

/**
 * Refuses requests of an overloaded process before they cost anything, so that accepted requests are served in time. An overload is a queue
 * that does not drain: at least `atOnceMax` requests in flight at every moment of half a second, whatever they wait for. From then on no
 * more than that are accepted, until half a second passes in which no request was refused or the process was idle at some moment.
 */
export class Overload {
  private readonly refused: Counter;
  private inFlight = 0;
  /** The minimum number of requests in flight in the present window. */
  private fewest = 0;
  private refusedInWindow = 0;
  private windowStartedMs = performance.now();
  private isOverloaded = false;

  /** @param atOnceMax requests in flight beyond which others queue */
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
    const underWay = (): number => this.inFlight;
    new Gauge({
      name: 'http_requests_under_way',
      help: 'Requests that are worked on now, without those that wait for something outside of the deployment',
      registers,
      collect() {
        this.set(underWay());
      },
    });
  }

  /** Returns after how many seconds the client may retry; null if the request is accepted. */
  refuses(asked: Asked): number | null {
    this.look();
    const atOnceMax = this.atOnceMax * (asked?.begins === false ? continuingFactor : 1);
    if (this.inFlight < (this.isOverloaded ? atOnceMax : atOnceMax * burstFactor)) return null;
    this.refusedInWindow += 1;
    this.refused.inc();
    return 1 + Math.floor(Math.random() * retryWithinSeconds);
  }

  /** Records that work on a request begins; it ends at the first call of the returned function. */
  begin(asked: Asked): () => void {
    if (asked?.waits === true) return () => undefined;
    this.inFlight += 1;
    let isUnderWay = true;
    return () => {
      if (!isUnderWay) return;
      isUnderWay = false;
      this.inFlight -= 1;
      this.fewest = Math.min(this.fewest, this.inFlight);
    };
  }

  private look(): void {
    const nowMs = performance.now();
    if (nowMs - this.windowStartedMs < windowMs) return;
    const goesOn = this.isOverloaded && this.refusedInWindow > 0 && this.fewest > 0;
    this.isOverloaded = goesOn || this.fewest >= this.atOnceMax;
    this.windowStartedMs = nowMs;
    this.fewest = this.inFlight;
    this.refusedInWindow = 0;
  }
}
