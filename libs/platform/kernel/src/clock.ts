import { instantOf, type Instant } from './instants';

/**
 * The service's clock: event times, expiries, budgets and the sandbox issuer's tokens use it (docs/decisions/sandbox.md). Leases,
 * heartbeats, rate windows and time-outs do not: they use real or monotonic time.
 */
export abstract class Clock {
  /** Milliseconds since the Unix epoch, by the service's clock. */
  abstract epochMs(): number;

  /** The present instant by the service's clock. */
  now(): Instant {
    return instantOf(this.epochMs());
  }
}
