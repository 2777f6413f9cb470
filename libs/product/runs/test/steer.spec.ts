/** `whenBusy: steer`: what a user says to a live run is read in its next step, once, or starts a run of its own. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { conversationOf, expectProblem, journal, start, untilEnded, untilStatus } from '@app/testing/journeys';
import { LoopbackModels, type Asked } from '@app/testing/models';

let models: LoopbackModels;
let deployment: Deployment;
let user: TestClient;
let there: TestClient;
beforeAll(async () => {
  models = await LoopbackModels.start('openai-compatible');
  const env = { ...models.environment(), BUDGET_DAY_CENTS: '1000000', BUDGET_MONTH_CENTS: '1000000' };
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 }, env });
});
beforeEach(async () => {
  user = await deployment.newUser();
  there = user.via(deployment.baseUrls[1] ?? '');
});
afterAll(async () => {
  await deployment.stop();
  await models.close();
});

const steer = (client: TestClient, conversationId: string, text: string, more: object = {}) =>
  start(client, conversationId, text, { whenBusy: 'steer', ...more });

/** The texts of the user's messages in a request to the model. */
const saidIn = ({ messages }: Asked): string[] => messages.flatMap(({ role, text }) => (role === 'user' ? [text] : []));

const messagesOf = async (id: string) =>
  (await there.get<{ data: { role: string; text: string; runId: string }[] }>(`/conversations/${id}/messages`)).body
    .data;

/** Answers slowly, so that there is time to say something meanwhile. */
const slowly = { text: ['one ', 'moment'], pauseMs: 400 };

it('is read in the next step of the same run, once', async () => {
  const asked: string[][] = [];
  models.says((request) => {
    asked.push(saidIn(request));
    return slowly;
  });
  const id = await conversationOf(user);
  const { runId } = (await start(user, id, 'first')).body;
  const own = randomUUID();
  const { status, body } = await steer(there, id, 'second', { runId: own });
  expect([status, body]).toMatchObject([202, { runId, conversationId: id, status: 'running' }]);
  expect((await steer(user, id, 'second', { runId: own })).body).toEqual(body);
  expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed' });
  expect(asked).toHaveLength(2);
  expect(asked[0]?.join()).not.toContain('second');
  expect(asked[1]?.join()).toMatch(/first[^]*second/);
  expect((await messagesOf(id)).map(({ role, runId: of }) => [role, of])).toEqual(
    ['user', 'user', 'assistant', 'assistant'].map((role) => [role, runId]),
  );
  // A repeated request finds it in the run that is over.
  expect((await steer(user, id, 'second', { runId: own })).body).toMatchObject({ runId, status: 'completed' });
  expect((await journal(user, id)).filter(({ payload }) => payload.type === 'run.started')).toHaveLength(1);
});

it('is a part of the history that later runs read', async () => {
  models.says(() => slowly);
  const id = await conversationOf(user);
  const { runId } = (await start(user, id, 'first')).body;
  await steer(user, id, 'second');
  await untilEnded(user, runId);
  let asked: string[] = [];
  models.says((request) => {
    asked = saidIn(request);
    return { text: ['ok'] };
  });
  await untilEnded(user, (await start(user, id, 'third')).body.runId);
  expect(asked.join()).toMatch(/first[^]*second[^]*third/);
});

it('starts a run where none is live', async () => {
  models.says(() => ({ text: ['ok'] }));
  const id = await conversationOf(user);
  const { body } = await steer(user, id, 'hello');
  expect(body).toMatchObject({ status: 'running', seq: 2 });
  expect(await untilEnded(user, body.runId)).toMatchObject({ status: 'completed' });
});

it('becomes a run of its own where the run has no step left', async () => {
  models.says(() => slowly);
  const id = await conversationOf(user);
  const { runId } = (await start(user, id, 'first', { profile: { maxSteps: 1 } })).body;
  const own = randomUUID();
  expect((await steer(user, id, 'second', { runId: own })).body).toMatchObject({ runId });
  await untilEnded(user, runId);
  expect(await untilEnded(there, own)).toMatchObject({
    status: 'completed',
    request: { input: { text: 'second' }, profile: { maxSteps: 1 } },
  });
  const messages = await messagesOf(id);
  expect(messages.map(({ role, text }) => (role === 'user' ? text : role))).toEqual([
    'first',
    'assistant',
    'second',
    'assistant',
  ]);
});

it('becomes a run of its own where the run is aborted before it is read', async () => {
  models.says(() => ({ text: ['a ', 'b ', 'c ', 'd '], pauseMs: 300 }));
  const id = await conversationOf(user);
  const { runId } = (await start(user, id, 'first')).body;
  const own = randomUUID();
  await steer(user, id, 'second', { runId: own });
  expect((await user.post(`/agent-runs/${runId}/abort`)).body).toEqual({ aborted: true });
  expect(await untilEnded(user, own)).toMatchObject({ status: 'completed' });
});

it('races with the end of the run, and is in that run or in one of its own', async () => {
  models.says(() => ({ text: ['o', 'k'], pauseMs: 50 }));
  const id = await conversationOf(user);
  const outcomes = { joined: 0, own: 0 };
  for (let round = 0; round < 12; round += 1) {
    const first = (await start(user, id, `first ${round}`)).body.runId;
    const own = randomUUID();
    await sleep(10 * round);
    const { status, body } = await steer(round % 2 === 0 ? user : there, id, `said ${round}`, { runId: own });
    expect(status).toBe(202);
    await untilEnded(user, first);
    await untilStatus(user, body.runId, 'completed');
    const starts = (await journal(user, id)).filter(
      ({ payload }) => payload.type === 'run.started' && payload['runId'] === own,
    );
    if (body.runId === own) expect(starts).toHaveLength(1);
    const idle = async () => (await user.get(`/conversations/${id}`)).body;
    while ((await idle())['status'] !== 'idle' || ((await idle())['queuedRunIds'] as string[]).length > 0);
    outcomes[body.runId === own ? 'own' : 'joined'] += 1;
  }
  const said = (await messagesOf(id)).filter(({ text }) => text.startsWith('said'));
  expect(said.map(({ text }) => text)).toEqual(Array.from({ length: 12 }, (_, round) => `said ${round}`));
  process.stdout.write(`steering at the end of a run: ${JSON.stringify(outcomes)}\n`);
});

it('shares the bound of the queue', async () => {
  models.says(() => ({ text: ['a ', 'b ', 'c ', 'd '], pauseMs: 500 }));
  const id = await conversationOf(user);
  const { runId } = (await start(user, id, 'first')).body;
  for (let n = 0; n < 10; n += 1) {
    const { status } = await (n % 2 === 0 ? steer(user, id, `${n}`) : start(user, id, `${n}`, { whenBusy: 'queue' }));
    expect(status).toBe(202);
  }
  expectProblem(await steer(user, id, 'more'), 'rate_limited');
  expectProblem(await start(user, id, 'more', { whenBusy: 'queue' }), 'rate_limited');
  for (const waiting of (await user.get(`/conversations/${id}`)).body['queuedRunIds'] as string[])
    await user.post(`/agent-runs/${waiting}/abort`);
  await untilEnded(user, runId);
});
