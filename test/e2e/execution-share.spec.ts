/** Each user holds at most a share of the execution slots, over all replicas (docs/decisions/conventions.md, "Shares and quotas"). */
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import {
  conversationOf,
  expectProblem,
  sql,
  start,
  startLongRun,
  untilEnded,
  untilStatus,
} from '@app/testing/journeys';

const capacity = 20;
/** A quarter of the capacity. */
const share = 5;

let deployment: Deployment;
beforeAll(async () => {
  const env = { EXECUTION_CAPACITY: String(capacity), BUDGET_DAY_CENTS: '100000', RATE_LIMIT_USER_PER_MINUTE: '10000' };
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 }, env });
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 60_000 } });
});
afterAll(() => deployment.stop());

/** Starts `count` runs at once, alternating between both replicas, each in a conversation of its own. */
async function startAtOnce(user: TestClient, count: number) {
  const conversations = await Promise.all(Array.from({ length: count }, () => conversationOf(user)));
  return Promise.all(
    conversations.map((id, index) =>
      start(user.via(deployment.baseUrls[index % 2] ?? ''), id, 'repeat after me: words'),
    ),
  );
}

const slotsOf = (user: TestClient) =>
  sql<{ run_key: string }>(deployment, 'SELECT run_key FROM execution_slots WHERE user_id = $1', [user.userId]);

it('is held exactly by a user who starts far more at once, and leaves the rest to the others', async () => {
  const [greedy, modest] = [await deployment.newUser(), await deployment.newUser()];
  const answers = await startAtOnce(greedy, 16);
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(share);
  for (const answer of answers.filter(({ status }) => status !== 202)) expectProblem(answer, 'execution_capacity');
  expect(await slotsOf(greedy)).toHaveLength(share);

  const others = await startAtOnce(modest, share);
  expect(others.map(({ status }) => status)).toEqual(Array(share).fill(202));

  for (const [user, started] of [
    [greedy, answers],
    [modest, others],
  ] as const) {
    for (const { status, body } of started) {
      if (status !== 202) continue;
      await user.post(`/agent-runs/${String(body['runId'])}/abort`);
      await untilEnded(user, String(body['runId']));
    }
  }
  expect((await start(greedy, await conversationOf(greedy))).status).toBe(202);
});

it('is asked for again when a run goes on after its approval', async () => {
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
  const user = await deployment.newUser();
  await user.post('/wallet');
  const { body } = await start(user, await conversationOf(user), 'withdraw 1 USDC');
  const waiting = String(body['runId']);
  const { pendingApprovalIds } = await untilStatus(user, waiting, 'awaiting_approval');
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 60_000 } });
  const live: string[] = [];
  for (let count = 0; count < share; count += 1) live.push(await startLongRun(user, await conversationOf(user)));
  const [approvalId] = pendingApprovalIds as string[]; // reason for the assertion: a Run's member
  expectProblem(await user.post(`/approvals/${approvalId}/deny`, {}), 'execution_capacity');
  expect((await user.get(`/approvals/${approvalId}`)).body).toMatchObject({ status: 'pending' });

  await user.post(`/agent-runs/${live[0]}/abort`);
  await untilEnded(user, String(live[0]));
  expect(await user.post(`/approvals/${approvalId}/deny`, {})).toMatchObject({ status: 200 });
  for (const runId of [waiting, ...live.slice(1)]) await user.post(`/agent-runs/${runId}/abort`);
});
