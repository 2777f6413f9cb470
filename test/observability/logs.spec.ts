/** One run and one user can be followed through the logs of api and worker, which share only events. */
import { randomUUID } from 'node:crypto';
import { requestJson, type TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { type Approval, approvalOf, conversationOf, newOwner, untilEnded, untilStatus } from '@app/testing/journeys';
import { until } from '@app/testing/until';

let deployment: Deployment;
let user: TestClient;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'processes', env: { LOG_LEVEL: 'info' } });
  user = await newOwner(deployment);
});
afterAll(() => deployment.stop());

type Line = Readonly<Record<string, unknown>>;

/** The lines of a role's processes in which a member has this value, once there are `count` of them. */
async function lines(role: 'apis' | 'workers', name: string, value: string, count: number): Promise<readonly Line[]> {
  let found: Line[] = [];
  const what = (): string => `${count} lines of ${role} with ${name} ${value}, besides ${JSON.stringify(found)}`;
  return until(what, () => {
    const written = deployment[role].flatMap(({ output }) => output.split('\n').filter((line) => line.startsWith('{')));
    found = written.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as Line);
    found = found.filter((line) => line[name] === value);
    return Promise.resolve(found.length >= count ? found : null);
  });
}

/** A call with a request id of its own. */
async function call<Body>(requestId: string, method: string, path: string, body?: object): Promise<Body> {
  const headers = { ...user.headers, 'x-request-id': requestId };
  return (await requestJson<Body>(method, user.url(path), body, headers)).body;
}

it('a run has the request that began it, and the decision that resumed it, on every line', async () => {
  const conversationId = await conversationOf(user);
  const [asked, decided, looked] = [randomUUID(), randomUUID(), randomUUID()];
  const input = { text: 'withdraw 1.5 USDC' };
  const { runId } = await call<{ runId: string }>(asked, 'POST', '/agent-runs', { conversationId, input });
  const { pendingApprovalIds } = await untilStatus(user, runId, 'awaiting_approval');
  // Reason for the assertion: a run's answer as specified.
  const [approvalId = ''] = pendingApprovalIds as string[];
  const { fingerprint }: Approval = await approvalOf(user, approvalId);
  await call(decided, 'POST', `/approvals/${approvalId}/approve`, { fingerprint });
  await untilEnded(user, runId);
  await call(looked, 'GET', `/agent-runs/${runId}`);
  const { userId } = user;
  const ofRun = { runId, conversationId, userId };
  expect(await lines('apis', 'requestId', asked, 1)).toEqual([
    expect.objectContaining({ operation: 'runs.start', status: 202, ...ofRun }),
  ]);
  expect(await lines('apis', 'requestId', decided, 1)).toEqual([
    expect.objectContaining({ operation: 'approvals.approve', approvalId, userId }),
  ]);
  expect(await lines('apis', 'requestId', looked, 1)).toEqual([
    expect.objectContaining({ operation: 'runs.get', status: 200, ...ofRun }),
  ]);
  const executed = { msg: 'a run segment was executed', ms: expect.any(Number) as number, ...ofRun };
  expect(await lines('workers', 'runId', runId, 2)).toEqual([
    expect.objectContaining({ ...executed, segment: 1, requestId: asked, outcome: 'awaiting_approval' }),
    expect.objectContaining({ ...executed, segment: 2, requestId: decided, outcome: 'completed' }),
  ]);
});

it('a failure on the way names its run, its user and its request', async () => {
  await deployment.sandbox('PUT', 'faults', { model: { fail: true } });
  const conversationId = await conversationOf(user);
  const requestId = randomUUID();
  const body = { conversationId, input: { text: 'hello' } };
  const { runId } = await call<{ runId: string }>(requestId, 'POST', '/agent-runs', body);
  await untilEnded(user, runId);
  await deployment.sandbox('PUT', 'faults', { model: { fail: false } });
  const named = { conversationId, userId: user.userId, requestId };
  expect(await lines('workers', 'runId', runId, 2)).toEqual([
    expect.objectContaining({ level: 'error', msg: 'a model step failed', ...named }),
    expect.objectContaining({ msg: 'a run segment was executed', outcome: 'failed', ...named }),
  ]);
});

it('a user is on the lines of all that was done for them, and of nobody else', async () => {
  const other = await newOwner(deployment);
  await conversationOf(other);
  const ofOther = await lines('apis', 'userId', other.userId, 3);
  expect(ofOther.map(({ operation }) => operation)).toEqual(['users.ensure', 'wallets.ensure', 'conversations.create']);
  expect(ofOther.at(-1)).toMatchObject({ requestId: expect.any(String) as string, status: 201 });
});
