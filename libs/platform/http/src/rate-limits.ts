import type { RateAnswer } from './ports';

const windowSeconds = 60;

/** Whole seconds for a client to wait. A place comes free up to 100 ms late, but the answer is never more than the window. */
export function secondsOf(ms: number): number {
  return Math.min(windowSeconds, Math.max(1, Math.ceil(ms / 1000)));
}

export interface RateLimits {
  readonly keyPerMinute: number;
  readonly userPerMinute: number;
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-10 for the windows that were asked, the key's first. */
export function rateHeaders(limits: RateLimits, answers: readonly RateAnswer[]): Record<string, string> {
  const remaining = answers.map((answer, index) => `"${names[index]}";r=${answer.remaining};t=${answer.resetSeconds}`);
  return {
    'ratelimit-policy': `"key";q=${limits.keyPerMinute};w=${windowSeconds}, "user";q=${limits.userPerMinute};w=${windowSeconds}`,
    ratelimit: remaining.join(', '),
  };
}

const names = ['key', 'user'];
