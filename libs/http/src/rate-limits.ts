import type { PartnerKeyId, UserId } from '@app/kernel';
import type { RateAnswer, RateSubject } from './ports';

const windowSeconds = 60;

export interface RateLimits {
  readonly keyPerMinute: number;
  readonly userPerMinute: number;
}

export function keySubject(keyId: PartnerKeyId, limits: RateLimits): RateSubject {
  return { subject: `key:${keyId}`, limit: limits.keyPerMinute };
}

export function userSubject(userId: UserId, limits: RateLimits): RateSubject {
  return { subject: `user:${userId}`, limit: limits.userPerMinute };
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
