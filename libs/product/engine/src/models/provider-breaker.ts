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
/** It gives up when no more time than this is left: a busy process may wake too late from its next wait to say that it did not ask. */
const reserveMs = 2 * lookEveryMs;

/** One for all models of a provider: opens after so many attempts in a row that it did not begin to answer. */
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

  /** Whether the provider is not asked now, or is only tried. */
  get open(): boolean {
    const { state } = this.policy;
    return state === CircuitState.HalfOpen || (state === CircuitState.Open && this.remainsOpen());
  }

  /**
   * Asks as soon as the provider may be asked. An attempt that only tried whether it is back goes on to wait if it is not. Throws
   * ProviderTrouble, `not_asked` where nothing was tried in the time that is left.
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

  /** While an answer streams, the provider is there: what waits longer for its first byte waits in a queue. */
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
