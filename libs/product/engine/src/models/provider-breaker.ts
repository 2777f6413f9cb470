import { CircuitState, circuitBreaker, ConsecutiveBreaker, handleWhen, isBrokenCircuitError } from 'cockatiel';
import type { CircuitBreakerPolicy } from 'cockatiel';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProviderTrouble } from './provider';

/** How often a waiting run checks whether the breaker has closed. */
const lookEveryMs = 200;
/**
 * The wait ends when no more time than this is left, because a busy process may wake too late from its next pause to report that it did not
 * ask.
 */
const reserveMs = 2 * lookEveryMs;

/** One breaker for all models of a provider: opens after this many consecutive attempts without the beginning of an answer. */
export class ProviderBreaker {
  private readonly policy: CircuitBreakerPolicy;
  private openedAtMs = Number.NEGATIVE_INFINITY;
  private streaming = 0;

  constructor(
    failures: number,
    private readonly openMs: number,
  ) {
    this.policy = circuitBreaker(
      handleWhen((error) => this.isOutage(error)),
      { halfOpenAfter: openMs, breaker: new ConsecutiveBreaker(failures) },
    );
    this.policy.onBreak(() => (this.openedAtMs = performance.now()));
  }

  /** Whether the provider is not asked now, or only by trial attempts. */
  get open(): boolean {
    const { state } = this.policy;
    return state === CircuitState.HalfOpen || (state === CircuitState.Open && this.remainsOpen());
  }

  /**
   * Asks as soon as the provider may be asked. After a failed trial attempt it continues to wait. Throws ProviderTrouble, `not_asked` if
   * nothing was tried in the time that was left.
   */
  async ask<Answer>(leftMs: () => number, signal: AbortSignal, ask: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const isTrial = this.policy.state !== CircuitState.Closed;
      try {
        return await this.policy.execute(ask);
      } catch (error) {
        const isBarred = isBrokenCircuitError(error);
        if (!isBarred && !(isTrial && this.isOutage(error))) throw error;
        if (leftMs() <= reserveMs) {
          throw isBarred ? new ProviderTrouble('not_asked', 'the breaker is open', false) : error;
        }
        await sleep(lookEveryMs, undefined, { signal });
      }
    }
  }

  /** While an answer streams, the provider is reachable: a request that waits longer for its first byte is queued there. */
  async countStream<Value>(listen: () => Promise<Value>): Promise<Value> {
    this.streaming += 1;
    try {
      return await listen();
    } finally {
      this.streaming -= 1;
    }
  }

  private isOutage(error: unknown): boolean {
    if (!(error instanceof ProviderTrouble)) return false;
    return error.trouble === 'queued' ? this.streaming === 0 : error.passing;
  }

  private remainsOpen(): boolean {
    return performance.now() - this.openedAtMs < this.openMs;
  }
}
