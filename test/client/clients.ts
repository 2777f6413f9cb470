import { ParleyClient, type RetryOptions } from '@parley/client';
import type { TestClient } from '@app/testing/client';

/** Tries as often as a proxy may cut in a row, and soon again, so that a test of a thousand cuts takes no hour. */
export const patience: RetryOptions = { attempts: 200, firstDelayMs: 2, delayMaxMs: 10, totalMs: 120_000 };

/** The client of a partner's backend, for the same user, wherever that user reaches the service. */
export function clientOf(user: TestClient, baseUrl = user.baseUrl, retry: RetryOptions = {}): ParleyClient {
  return new ParleyClient({ baseUrl, partnerKey: user.partnerKey, userToken: user.token, retry });
}
