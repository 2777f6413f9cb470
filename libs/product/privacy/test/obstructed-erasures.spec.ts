import { randomUUID } from 'node:crypto';
import { EventStore, Streams } from '@app/event-store';
import { asId, causeOfService, Clock, type UserId } from '@app/kernel';
import { erasureKind } from '@app/privacy';
import { operatorOf, type OperatorClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import {
  confirm,
  expectProblem,
  moveClock,
  newOwner,
  partOf,
  prepare,
  prompt,
  providerFault,
  sql,
  usdc,
} from '@app/testing/journeys';
import { erase, erasureOf, reason, untilErasure } from '@app/testing/erasures';
import { until } from '@app/testing/until';

let deployment: Deployment;
let operator: OperatorClient;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process' });
  operator = await operatorOf(deployment, ['users']);
});
afterAll(() => deployment.stop());

it('is not stopped by an identity whose stream is gone', async () => {
  const user = await deployment.newUser();
  const [key] = await sql<{ id: string }>(
    deployment,
    "SELECT key_id AS id FROM sealing_keys WHERE user_id = $1 AND key_id LIKE 'i/%'",
    [user.userId],
  );
  const store = partOf(deployment, EventStore);
  const stream = `identity-${key?.id.slice(2)}`;
  await store.client.tombstoneStream(stream);
  await until('the damage is known', async () => store.damaged.of(stream));
  await erase(operator, user);
  await untilErasure(operator, user, 'completed');
  const left = 'SELECT count(*)::int AS count FROM sealing_keys WHERE key_id = $1 AND user_id IS NOT NULL';
  expect(await sql(deployment, left, [key?.id])).toEqual([{ count: 0 }]);
});

it('keeps the account closed while it waits for money, whatever an operator asks', async () => {
  const user = await newOwner(deployment);
  await providerFault(deployment, { settleAfterSeconds: 600 });
  const sent = await prepare(user, usdc, '1000');
  expect((await confirm(user, sent)).status).toBe(202);
  await erase(operator, user);
  await until('the end of the account', async () => ((await user.get('/wallet')).status === 403 ? true : null));
  expect(await erasureOf(operator, user)).toMatchObject({ status: 'ending', operationsInFlight: 1 });
  expectProblem(await operator.post(`/users/${user.userId}/enable`, { reason }), 'account_disabled');
  expectProblem(await user.post('/conversations', {}), 'account_disabled');
  await providerFault(deployment, prompt);
  await moveClock(deployment, 601);
  operator = await operatorOf(deployment, ['users']);
  await untilErasure(operator, user, 'completed');
});

it('is found without a notification, behind however many that have to wait', async () => {
  const user = await deployment.newUser();
  await sql(
    deployment,
    `INSERT INTO erasures (user_id, is_open, requested_at, position)
     SELECT gen_random_uuid(), true, '2000-01-01T00:00:00.000Z', 1 FROM generate_series(1, 250)`,
  );
  const at = partOf(deployment, Clock).now();
  const cause = causeOfService('test', randomUUID());
  const command = { type: 'RequestErasure', at, reason } as const;
  await partOf(deployment, Streams).decide(erasureKind, asId<UserId>(user.userId), command, cause);
  await untilErasure(operator, user, 'completed');
});
