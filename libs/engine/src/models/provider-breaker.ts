import {
  CircuitState,
  circuitBreaker,
  ConsecutiveBreaker,
  handleWhen,
  isBrokenCircuitError,
  type CircuitBreakerPolicy,
} from 'cockatiel';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProviderTrouble } from './provider';

/** How often a waiting run checks whether the breaker has closed. */
const lookEveryMs = 200;

/** One for all models of a provider: opens after so many attempts in a row that it did not begin to answer. */
export class ProviderBreaker {
  private readonly policy: CircuitBreakerPolicy;
  private openedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    failures: number,
    private readonly openMs: number,
  ) {
    this.policy = circuitBreaker(
      handleWhen((error) => error instanceof ProviderTrouble && error.passing),
      { halfOpenAfter: openMs, breaker: new ConsecutiveBreaker(failures) },
    );
    this.policy.onBreak(() => (this.openedAtMs = performance.now()));
  }

  /** Whether the provider is not asked now, or is only tried. */
  get open(): boolean {
    const { state } = this.policy;
    return state === CircuitState.HalfOpen || (state === CircuitState.Open && this.remainsOpen());
  }

  /** Asks as soon as the provider may be asked. Throws ProviderTrouble `not_asked` where that is not before the deadline. */
  async ask<Answer>(deadlineMs: number, signal: AbortSignal, ask: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      try {
        return await this.policy.execute(ask);
      } catch (error) {
        if (!isBrokenCircuitError(error)) throw error;
        if (performance.now() + lookEveryMs >= deadlineMs) {
          throw new ProviderTrouble('not_asked', 'the breaker is open', false);
        }
        await sleep(lookEveryMs, undefined, { signal });
      }
    }
  }

  private remainsOpen(): boolean {
    return performance.now() - this.openedAtMs < this.openMs;
  }
}
