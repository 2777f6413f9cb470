import type { TestClient } from '@app/testing/client';
import { holdings, operationsOf, untilOperation, usdc } from '@app/testing/journeys';
import { until } from '@app/testing/until';

/**
 * Waits until the user's only transfer is settled, and exactly once: `left` USDC remain, in the token's smallest unit.
 */
export async function untilGoneOnce(user: TestClient, left: string): Promise<void> {
  const [operation, ...others] = await operationsOf(user);
  expect(others).toEqual([]);
  expect(await untilOperation(user, operation?.id ?? null)).toMatchObject({ status: 'settled' });
  // Until the settlement is projected, the amount counts both as in flight and as gone. An amount moved twice would
  // stay gone.
  await until('a transfer that is gone once', async () => (await holdings(user))[usdc] === left || null);
}
