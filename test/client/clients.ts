import { ParleyClient, type RetryOptions } from '@parley/client';
import type { TestClient } from '@app/testing/client';

/**
 * Retries as often as a proxy may cut in a row, with short pauses, so that a test of a thousand cuts does not take an
 * hour.
 */
export const patience: RetryOptions = { attempts: 200, firstDelayMs: 2, delayMaxMs: 10, totalMs: 120_000 };

/** The client of a partner's backend for the same user, at any address of the service. */
export function clientOf(user: TestClient, baseUrl = user.baseUrl, retry: RetryOptions = {}): ParleyClient {
  return new ParleyClient({ baseUrl, partnerKey: user.partnerKey, userToken: user.token, retry });
}
