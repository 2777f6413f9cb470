import { isProblem, isUnreachable, type ParleyProblem } from './problems.js';

/** Limits for retrying a call. Each wait is random up to its length (full jitter), plus a sent `Retry-After`. */
export interface RetryOptions {
  /** Total number of attempts, not counting the one with a renewed token; 1 means no retry. Default 5. */
  readonly attempts?: number;
  /** Longest first wait; the bound doubles with each further one. Default 250. */
  readonly firstDelayMs?: number;
  /** Longest wait, not counting `Retry-After`. Also bounds the waits of `stream()`. Default 8,000. */
  readonly delayMaxMs?: number;
  /** Time since the start of the call that no wait extends beyond. Default 60,000. */
  readonly totalMs?: number;
  /** Limit for one attempt, including reading the whole answer. Default 45,000. */
  readonly attemptMs?: number;
  /** Decides which problems are retried. Default: those that the service marks `retryable`. */
  readonly when?: (problem: ParleyProblem) => boolean;
}

export type RetryPolicy = Required<RetryOptions>;

export const defaultRetries: RetryPolicy = {
  attempts: 5,
  firstDelayMs: 250,
  delayMaxMs: 8_000,
  totalMs: 60_000,
  attemptMs: 45_000,
  when: (problem) => problem.retryable,
};

/** Bound of the exponent: further doubling has no effect long before this. */
const doublingsMax = 20;

/**
 * Whether a failed attempt may be repeated without doing anything twice.
 * @param repeatable whether doing it twice has the same effect as doing it once
 */
export function mayRepeat(error: unknown, repeatable: boolean, policy: RetryPolicy): boolean {
  if (isProblem(error)) return policy.when(error);
  if (!isUnreachable(error)) return false;
  if (error.outcome === 'not_sent') return true;
  return repeatable && !isRefusal(error.status);
}

/** Whether it is a status of a proxy that another attempt will not change. */
function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status >= 300 && status < 500 && status !== 408 && status !== 429;
}

/** Returns the delay in ms that an error asks for with `Retry-After`, else 0. */
export function askedDelayMs(error: unknown): number {
  return isProblem(error) || isUnreachable(error) ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
}

/** Returns a wait in ms: exponential backoff with full jitter. @param failures so far, 0 before the first wait */
export function jitteredMs(firstDelayMs: number, delayMaxMs: number, failures: number): number {
  return Math.random() * Math.min(delayMaxMs, firstDelayMs * 2 ** Math.min(failures, doublingsMax));
}

/** Waits. Rejects with the signal's reason as soon as it aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
  signal.throwIfAborted();
}

/** Returns `Retry-After` in whole seconds, given as a number of seconds or as a date; undefined for anything else. */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}(\.\d{1,9})?$/.test(value)) return Math.ceil(Number(value));
  // `Date.parse` takes `-3` for a date too, but every real one has a time of day.
  const at = /\d:\d/.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}
