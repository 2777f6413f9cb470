/** `whenBusy: queue`: what a user says while the agent works waits, is seen, can be withdrawn, and starts by itself in order. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandBus } from '@nestjs/cqrs';
import { PauseControl, ResumeControl } from '@app/deployment';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import {
  asking,
  aUuid,
  byOperator,
  conversationOf,
  expectProblem,
  journal,
  moveClock,
  newOwner,
  partOf,
  start,
  untilEnded,
  untilStatus,
} from '@app/testing/journeys';

let deployment: Deployment;
let user: TestClient;
let there: TestClient;
beforeAll(async () => {
  const env = { BUDGET_DAY_CENTS: '100000', BUDGET_MONTH_CENTS: '100000' };
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 }, env });
});
beforeEach(async () => {
  user = await deployment.newUser();
  there = user.via(deployment.baseUrls[1] ?? '');
});
afterAll(() => deployment.stop());

const queue = (client: TestClient, conversationId: string, text: string, more: object = {}) =>
  start(client, conversationId, `repeat after me: ${text}`, { whenBusy: 'queue', ...more });
const waitingIn = async (id: string) => (await there.get(`/conversations/${id}`)).body['queuedRunIds'];
const abort = (client: TestClient, runId: string) => client.post(`/agent-runs/${runId}/abort`);

/** Starts a run that takes about two seconds. */
async function live(id: string): Promise<string> {
  const { status, body } = await start(user, id, `repeat after me: ${'word '.repeat(50)}`);
  expect(status).toBe(202);
  return body.runId;
}

async function startsOf(id: string): Promise<(string | undefined)[]> {
  const events = (await journal(user, id)).map(({ payload }) => payload);
  return events.flatMap((event) => (event.type === 'run.started' ? [String(event['runId'])] : []));
}

it('waits, is seen everywhere, and starts by itself in order', async () => {
  const id = await conversationOf(user);
  const first = await live(id);
  const ids: string[] = [];
  for (const [client, text] of [
    [user, 'one'],
    [there, 'two'],
    [user, 'three'],
  ] as const) {
    const { status, body } = await queue(client, id, text);
    expect([status, body]).toEqual([
      202,
      { runId: aUuid, conversationId: id, status: 'waiting', seq: expect.any(Number) as number },
    ]);
    ids.push(body.runId);
  }
  expect(await waitingIn(id)).toEqual(ids);
  const [listed] = (await there.get<{ data: Record<string, unknown>[] }>('/conversations')).body.data;
  expect(listed).toMatchObject({ id, queuedRunIds: ids, status: 'running', liveRunId: first });
  expect((await there.get(`/agent-runs/${ids[1]}`)).body).toMatchObject({
    status: 'waiting',
    startedAt: null,
    request: { input: { text: 'repeat after me: two' } },
  });
  expectProblem(await start(user, id, 'now'), 'run_active');
  expectProblem(await user.post(`/conversations/${id}/archive`), 'run_active');
  for (const runId of ids) {
    const { createdAt, startedAt, response } = await untilEnded(there, runId);
    expect(response).toMatchObject({ text: expect.stringMatching(/^(one|two|three)$/) as string });
    expect(String(createdAt) < String(startedAt)).toBe(true);
  }
  expect(await startsOf(id)).toEqual([first, ...ids]);
  expect(await waitingIn(id)).toEqual([]);
  const { data } = (await user.get<{ data: { id: string }[]; total: number }>(`/agent-runs?conversationId=${id}`)).body;
  expect(data.map((run) => run.id)).toEqual([...ids].reverse().concat(first));
});

it('starts at once where nothing else is open', async () => {
  const id = await conversationOf(user);
  const { body } = await queue(user, id, 'hello');
  expect(body).toMatchObject({ status: 'running', seq: 2 });
  expect(await untilEnded(user, body.runId)).toMatchObject({ status: 'completed' });
});

it('is queued once, however often it is repeated', async () => {
  const id = await conversationOf(user);
  const first = await live(id);
  const runId = randomUUID();
  const answers = await Promise.all([user, there, user, there].map((client) => queue(client, id, 'x', { runId })));
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(await waitingIn(id)).toEqual([runId]);
  const elsewhere = await queue(user, await conversationOf(user), 'x', { runId });
  expectProblem(elsewhere, 'invalid_input', { at: ['/runId'] });
  await untilEnded(user, runId);
  expect((await queue(there, id, 'x', { runId })).body).toMatchObject({ status: 'completed' });
  expect(await startsOf(id)).toEqual([first, runId]);
});

it('can be withdrawn, and what waits behind it moves up', async () => {
  const id = await conversationOf(user);
  const first = await live(id);
  const [one, two] = [(await queue(user, id, 'one')).body.runId, (await queue(user, id, 'two')).body.runId];
  expect((await abort(there, one)).body).toEqual({ aborted: true });
  expect((await abort(user, one)).body).toEqual({ aborted: false });
  expect((await user.get(`/agent-runs/${one}`)).body).toMatchObject({ status: 'aborted', startedAt: null });
  expect(await waitingIn(id)).toEqual([two]);
  expect((await abort(user, first)).status).toBe(200);
  expect(await untilEnded(user, two)).toMatchObject({ status: 'completed' });
  expect(await startsOf(id)).toEqual([first, two]);
});

it('is bounded, by ten of a conversation', async () => {
  const id = await conversationOf(user);
  await live(id);
  for (let n = 0; n < 10; n += 1) expect((await queue(user, id, `${n}`)).status).toBe(202);
  const all = await waitingIn(id);
  expectProblem(await queue(user, id, 'more'), 'rate_limited');
  expect(await waitingIn(id)).toEqual(all);
  for (const runId of all as string[]) await abort(user, runId);
});

it.each([
  [{ whenBusy: 'later' }, '/whenBusy'],
  [{ whenBusy: 1 }, '/whenBusy'],
  [{ profile: { model: 'gpt-0' } }, '/profile/model'],
])('is refused as any start is: %j', async (more, pointer) => {
  const id = await conversationOf(user);
  await live(id);
  expectProblem(await queue(user, id, 'x', more), 'invalid_input', { at: [pointer] });
  expect(await waitingIn(id)).toEqual([]);
});

it('waits for a run that waits for approval, and starts when that is over', async () => {
  user = await newOwner(deployment);
  there = user.via(deployment.baseUrls[1] ?? '');
  const id = await conversationOf(user);
  const { runId: asked, approval } = await asking(user, id, 'withdraw 0.5 USDC');
  const { body } = await queue(user, id, 'afterwards');
  expect(body.status).toBe('waiting');
  expect((await user.post(`/approvals/${approval.id}/deny`)).status).toBe(200);
  expect(await untilEnded(user, body.runId)).toMatchObject({ status: 'completed' });
  expect(await startsOf(id)).toEqual([asked, body.runId]);
});

it('that cannot be admitted for fifteen minutes ends as failed, and the next one is looked at', async () => {
  const id = await conversationOf(user);
  const first = await live(id);
  const [one, two] = [(await queue(user, id, 'one')).body.runId, (await queue(user, id, 'two')).body.runId];
  const control = { control: 'runs', ...byOperator(user) } as const;
  const commands = partOf(deployment, CommandBus);
  await commands.execute(new PauseControl(control));
  await abort(user, first);
  // Time enough for the sweeping process to be refused too.
  await sleep(5_000);
  await moveClock(deployment, 14 * 60);
  expect(await waitingIn(id)).toEqual([one, two]);
  await moveClock(deployment, 2 * 60);
  const failed = await untilStatus(user, one, 'failed');
  expect(failed).toMatchObject({
    failure: { reason: 'not_admitted', text: 'An operator paused a deployment control.' },
    startedAt: null,
  });
  expect(await waitingIn(id)).toEqual([two]);
  await commands.execute(new ResumeControl(control));
  expect(await untilEnded(user, two)).toMatchObject({ status: 'completed' });
  expect(await startsOf(id)).toEqual([first, two]);
});

it('refuses a plain start behind a queue at once, and records nothing', async () => {
  user = await newOwner(deployment);
  const id = await conversationOf(user);
  await asking(user, id, 'withdraw 0.5 USDC');
  await queue(user, id, 'afterwards');
  const before = (await user.get('/budget')).body;
  const refused = await Promise.all(Array.from({ length: 10 }, () => start(user, id, 'now')));
  for (const answer of refused) expectProblem(answer, 'run_active');
  expect((await user.get('/budget')).body).toEqual(before);
});

it('decides on the conversation as it is, whatever a replica remembers', async () => {
  const id = await conversationOf(user);
  const first = await live(id);
  expect((await there.get(`/conversations/${id}`)).body).toMatchObject({ liveRunId: first });
  await abort(user, first);
  expect((await queue(there, id, 'hello')).body).toMatchObject({ status: 'running' });
});
