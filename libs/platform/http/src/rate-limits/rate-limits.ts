import type { RateAnswer } from '../ports';

const windowSeconds = 60;

/** Whole seconds for a client to wait. A place becomes free up to 100 ms late, but the result never exceeds the window. */
export function secondsOf(ms: number): number {
  return Math.min(windowSeconds, Math.max(1, Math.ceil(ms / 1000)));
}

/** A limit that is published to callers: requests in any 60 s. */
export interface RateLimit {
  readonly name: string;
  readonly perMinute: number;
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-10. @param answers of the limits whose windows were tried, the first ones */
export function rateHeaders(limits: readonly RateLimit[], answers: readonly RateAnswer[]): Record<string, string> {
  const remaining = answers.map(
    (answer, index) => `"${limits[index]?.name}";r=${answer.remaining};t=${answer.resetSeconds}`,
  );
  return {
    'ratelimit-policy': limits.map(({ name, perMinute }) => `"${name}";q=${perMinute};w=${windowSeconds}`).join(', '),
    ratelimit: remaining.join(', '),
  };
}
