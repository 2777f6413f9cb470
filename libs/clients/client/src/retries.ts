import { isProblem, isUnreachable, type ParleyProblem } from './problems.js';

/** How long a call is tried. Every wait is up to chance between nothing and its length (full jitter), and never less than `Retry-After`. */
export interface RetryOptions {
  /** Attempts in all; 1: none is repeated. Default 5. */
  readonly attempts?: number;
  /** The longest first wait; each further one may be twice as long. Default 250. */
  readonly firstDelayMs?: number;
  /** No wait is longer, but one that `Retry-After` asks for. Also bounds the waits of `stream()`. Default 8,000. */
  readonly delayMaxMs?: number;
  /** From the first attempt on: no wait goes past it. Default 60,000. */
  readonly totalMs?: number;
  /** Of one attempt, up to the whole answer. Default 45,000. */
  readonly attemptMs?: number;
  /** Which problems are worth another attempt; those that the service calls `retryable` when absent. */
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

/** Twice the wait at each failure stops to matter long before this. */
const doublingsMax = 20;

/**
 * Whether a failed attempt may be repeated without doing anything twice.
 * @param repeatable doing it twice is the same as doing it once
 */
export function mayRepeat(error: unknown, repeatable: boolean, policy: RetryPolicy): boolean {
  if (isProblem(error)) return policy.when(error);
  if (!isUnreachable(error)) return false;
  if (error.outcome === 'not_sent') return true;
  return repeatable && !isRefusal(error.status);
}

/** A status of a proxy that another attempt will not change. */
function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status >= 300 && status < 500 && status !== 408 && status !== 429;
}

/** What an error asks for with `Retry-After`, in ms; 0 when it does not. */
export function askedDelayMs(error: unknown): number {
  return isProblem(error) || isUnreachable(error) ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
}

/** Exponential backoff with full jitter. @param failures so far, 0 before the first wait */
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

/** `Retry-After` in seconds, from a number of them or a date. */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}
