/** Keys of an erased user that are there again, as after a restore of older keys, are destroyed again. */
import { operatorOf } from '@app/testing/client';
import { startDeployment } from '@app/testing/deployment';
import { conversationOf, newOwner, sql } from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { erase, untilErasure } from '@app/testing/erasures';

interface Key {
  readonly key_id: string;
  readonly wrapped: Buffer;
}

it('destroys keys of an erased user that a restore brought back, and no others', async () => {
  const deployment = await startDeployment({ mode: 'in-process' });
  try {
    const operator = await operatorOf(deployment, ['users', 'audit']);
    const [user, other] = [await newOwner(deployment), await newOwner(deployment)];
    const talk = await conversationOf(user, 'secret plans');
    await conversationOf(other, 'other plans');
    const keysOf = (userId: string) =>
      sql<Key>(deployment, 'SELECT key_id, wrapped FROM sealing_keys WHERE user_id = $1 AND wrapped IS NOT NULL', [
        userId,
      ]);
    const titles = async () =>
      JSON.stringify((await operator.get(`/streams/conversation-${talk}/events?limit=10`)).body);
    const kept = await keysOf(user.userId);
    expect(kept.length).toBeGreaterThan(2);
    await erase(operator, user);
    const before = await untilErasure(operator, user, 'completed');
    expect(await keysOf(user.userId)).toEqual([]);
    for (const { key_id: id, wrapped } of kept)
      await sql(
        deployment,
        `INSERT INTO sealing_keys (key_id, user_id, wrapped) VALUES ($1, $2, $3)
         ON CONFLICT (key_id) DO UPDATE SET wrapped = $3, destroyed_at = NULL, user_id = $2`,
        [id, user.userId, wrapped],
      );
    await until('no key', async () => ((await keysOf(user.userId)).length === 0 ? true : null));
    await until('no words', async () => ((await titles()).includes('secret plans') ? null : true));
    expect(await sql(deployment, 'SELECT 1 FROM sealing_keys WHERE user_id = $1', [user.userId])).toHaveLength(
      kept.filter(({ key_id: id }) => !id.startsWith('i/')).length,
    );
    expect((await keysOf(other.userId)).length).toBeGreaterThan(1);
    expect(await untilErasure(operator, user, 'completed')).toEqual(before);
  } finally {
    await deployment.stop();
  }
}, 120_000);
