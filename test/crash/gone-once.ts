import type { TestClient } from '@app/testing/client';
import { holdings, operationsOf, untilOperation, usdc } from '@app/testing/journeys';
import { until } from '@app/testing/until';

/** The user's one transfer is settled, and once only: so much USDC is left, in the token's smallest unit. */
export async function untilGoneOnce(user: TestClient, left: string): Promise<void> {
  const [operation, ...others] = await operationsOf(user);
  expect(others).toEqual([]);
  expect(await untilOperation(user, operation?.id ?? null)).toMatchObject({ status: 'settled' });
  // While nobody projects that, it counts as on its way as well as gone. What was moved twice would stay gone.
  await until('a transfer that is gone once', async () => (await holdings(user))[usdc] === left || null);
}
