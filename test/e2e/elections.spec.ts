/** An event store that is electing a leader: callers get 503 and nothing else, and operations that move money wait for it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { ElectingStore } from '@app/testing/stores';
import { EmbeddedStore } from '@app/testing/event-store';
import {
  approve,
  asking,
  conversationOf,
  holdings,
  newOwner,
  operationsOf,
  outcomeOf,
  prompt,
  untilEnded,
  usdc,
} from '@app/testing/journeys';

/** More than the number of retries of an append. */
const manyRefusals = 20;

let folder: string;
let embedded: EmbeddedStore;
let cluster: ElectingStore;
let deployment: Deployment;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-elections-'));
  embedded = await EmbeddedStore.start();
  cluster = await ElectingStore.start(join(folder, 'cluster'), embedded.address);
  const env = { LOG_LEVEL: 'silent', BUDGET_DAY_CENTS: '100000', EVENTSTORE_URL: `unix:${cluster.socketPath}` };
  deployment = await startDeployment({ mode: 'in-process', env });
  await deployment.sandbox('PUT', 'faults', { provider: prompt, model: { delayMs: 0 } });
});
afterAll(async () => {
  await deployment.stop();
  await cluster.close();
  await embedded.stop();
  await rm(folder, { recursive: true });
});

test('a write meanwhile is 503 and may be asked again; afterwards it is done', async () => {
  const user = await deployment.newUser();
  cluster.electing = 'Server Is Not Ready';
  const meanwhile = await user.post('/conversations', {});
  cluster.electing = null;
  expect([meanwhile.status, meanwhile.body]).toEqual([503, expect.objectContaining({ retryable: true })]);
  expect((await user.post('/conversations', {})).status).toBe(201);
});

test('a transfer waits for the leader, and is made once', async () => {
  const user = await newOwner(deployment);
  const { runId, approval } = await asking(user, await conversationOf(user), 'withdraw 1.5 USDC');
  const refusals = { streams: 'operation-', left: manyRefusals };
  cluster.refusals = refusals;
  expect((await approve(user, approval)).status).toBe(200);
  expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed' });
  expect(refusals.left).toBe(0);
  expect(await outcomeOf(user, approval.id)).toMatchObject({ status: 'settled' });
  expect(await operationsOf(user)).toHaveLength(1);
  expect((await holdings(user))[usdc]).toBe('248500000');
});
