import type { TestClient, OperatorClient } from '@app/testing/client';
import { conversationOf, say } from '@app/testing/journeys';
import { erase, untilErasure } from '@app/testing/erasures';
import { until } from '@app/testing/until';
import type { KillOrder } from '../crash/kill-orders';
import { disarmed } from '../crash/killable';
import { onDatabase } from './places';
import { outputOf, type WordsStage } from './stage';

/** How long an erasure took, from the call. */
export interface ErasureTimes {
  readonly keyGoneMs: number;
  /** By process: until it had forgotten every key of the user. */
  readonly forgottenMs: readonly number[];
  readonly completedMs: number;
}

const forgotten = 'the keys of a user are forgotten';

/** Makes a user whose keys every process has in memory, erases them, and measures when the keys are gone. */
export async function timedErasure(stage: WordsStage, operator: OperatorClient): Promise<ErasureTimes> {
  const user = await stage.deployment.newUser();
  stage.models.says([{ text: ['Yes.'] }]);
  const talk = await conversationOf(user, 'a talk');
  await say(user, talk, 'are you there');
  for (const baseUrl of stage.deployment.baseUrls)
    expect((await user.via(baseUrl).get(`/conversations/${talk}`)).body['title']).toBe('a talk');
  const askedAtMs = Date.now();
  await erase(operator, user);
  const keyGoneMs = await onDatabase(stage, (client) =>
    until('the end of the key', async () => {
      const { rows } = await client.query('SELECT FROM sealing_keys WHERE user_id = $1 AND wrapped IS NOT NULL', [
        user.userId,
      ]);
      return rows.length === 0 ? Date.now() - askedAtMs : null;
    }),
  );
  const { apis, workers } = stage.deployment;
  const files = [...apis.map(({ pid }) => `api-${pid}.log`), ...workers.map(({ pid }) => `worker-${pid}.log`)];
  const forgottenMs = await Promise.all(
    files.map((file) => until(`a line of ${file}`, async () => forgottenAt(await outputOf(stage.folders, file), user))),
  );
  const { completedAt } = await untilErasure(operator, user, 'completed');
  return {
    keyGoneMs,
    forgottenMs: forgottenMs.map((at) => at - askedAtMs),
    completedMs: Date.parse(completedAt ?? '') - askedAtMs,
  };
}

function forgottenAt(output: string, { userId }: TestClient): number | null {
  const line = output.split('\n').find((one) => one.includes(forgotten) && one.includes(userId) && one.endsWith('}'));
  // Reason for the assertion: a line of the product's log, which has these members.
  return line === undefined ? null : Date.parse((JSON.parse(line) as { time: string }).time);
}

/**
 * The working process is killed at each of these steps, counted from its start. The first five are before the keys are recorded as
 * destroyed, so each process begins again; of the others, each process begins where the last one was.
 */
const kills: readonly KillOrder[] = [1, 2, 3, 4, 5, 6, 2, 3, 4, 5].map((nth) => ({ point: 'erasure:step', nth }));

/** Erases a user, while the working process is killed at ten points. Returns the orders that were carried out. */
export async function erasedWithKills(
  { killable, deployment }: WordsStage,
  operator: OperatorClient,
  user: TestClient,
): Promise<string[]> {
  const { orders } = killable;
  const [worker] = deployment.workers;
  const [first, ...others] = kills;
  if (worker === undefined || first === undefined) throw new Error('no worker was started');
  await orders.arm(worker, first);
  await erase(operator, user);
  for (const order of [...others, null]) {
    await until('the end of the worker', () => Promise.resolve(worker.isAlive ? null : true));
    await orders.giveNext('worker', order);
    await worker.start().catch(() => undefined); // it was killed while it started
  }
  await disarmed(killable);
  await untilErasure(operator, user, 'completed');
  return orders.carriedOut();
}
