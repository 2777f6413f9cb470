/** Quotas per user are counted exactly, over all replicas (docs/decisions/conventions.md, "Shares and quotas"). */
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { Answer, TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import {
  contractOf,
  conversationOf,
  expectProblem,
  type Listed,
  newOwner,
  pendingOf,
  prepare,
  type Prepared,
  raw,
  rule,
  say,
  sql,
  start,
  usdc,
} from '@app/testing/journeys';

const quota = { conversations: 4, artifactBytes: 1_000, pendingApprovals: 3, preparedWithdrawals: 2 };

let deployment: Deployment;
beforeAll(async () => {
  const env = {
    LOG_LEVEL: 'silent',
    BUDGET_DAY_CENTS: '100000',
    RATE_LIMIT_USER_PER_MINUTE: '10000',
    CONVERSATIONS_PER_USER: String(quota.conversations),
    ARTIFACT_BYTES_PER_USER: String(quota.artifactBytes),
    PENDING_APPROVALS_PER_USER: String(quota.pendingApprovals),
    PREPARED_WITHDRAWALS_PER_USER: String(quota.preparedWithdrawals),
  };
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 }, env });
});
afterAll(() => deployment.stop());

/** Makes `count` calls at once, alternating between both replicas. */
const atOnce = async <Body>(user: TestClient, count: number, call: (via: TestClient) => Promise<Answer<Body>>) =>
  Promise.all(Array.from({ length: count }, (_, index) => call(user.via(deployment.baseUrls[index % 2] ?? ''))));

const withStatus = <Body>(answers: readonly Answer<Body>[], wanted: number) =>
  answers.filter(({ status }) => status === wanted);

it('conversations that are not archived: waiting does not help, archiving does', async () => {
  const user = await deployment.newUser();
  const answers = await atOnce(user, 12, (via) => via.post('/conversations', {}));
  const created = withStatus(answers, 201);
  expect(created).toHaveLength(quota.conversations);
  for (const refused of answers.filter(({ status }) => status !== 201)) {
    expectProblem(refused, 'rate_limited');
    expect(refused.headers.get('retry-after')).toBeNull();
  }
  await user.post(`/conversations/${String(created[0]?.body['id'])}/archive`);
  expect((await user.post('/conversations', {})).status).toBe(201);
  expect((await user.post('/conversations', {})).status).toBe(429);
});

describe('bytes of artifacts', () => {
  const places = (user: TestClient) =>
    sql<{ id: string }>(deployment, `SELECT id FROM user_places WHERE user_id = $1 AND quota = 'artifactBytes'`, [
      user.userId,
    ]);
  const upload = (user: TestClient, id: string, bytes: number, name = 'a.bin') =>
    raw(user, 'POST', `/conversations/${id}/artifacts?name=${name}`, { body: Buffer.alloc(bytes, name) });

  it('are counted while uploads race, to the last one', async () => {
    const user = await deployment.newUser();
    const id = await conversationOf(user);
    const answers = await atOnce(user, 8, (via) => upload(via, id, 400));
    expect([withStatus(answers, 201).length, withStatus(answers, 413).length]).toEqual([2, 6]);
    // The same bytes under another name count too.
    expect((await upload(user, id, 201, 'b.bin')).status).toBe(413);
    expect((await upload(user, id, 200, 'b.bin')).status).toBe(201);
    expect((await upload(user, id, 1)).status).toBe(413);
    expect((await user.get<Listed>(`/conversations/${id}/artifacts`)).body.total).toBe(3);
  });

  it('are given back by an upload that fails or is cut off', async () => {
    const user = await deployment.newUser();
    const id = await conversationOf(user);
    const url = user.url(`/conversations/${id}/artifacts?name=cut.bin`);
    const cut = new ReadableStream({
      start: (controller) => {
        controller.enqueue(Buffer.alloc(600));
        setTimeout(() => controller.error(new Error('cut off')), 300);
      },
    });
    const init = { method: 'POST', headers: user.headers, body: cut, duplex: 'half' };
    await expect(fetch(url, init)).rejects.toThrow();
    const tooMuch = new ReadableStream({
      start: (controller) => {
        controller.enqueue(Buffer.alloc(1_001));
        controller.close();
      },
    });
    expect((await fetch(url, { ...init, body: tooMuch })).status).toBe(413);
    // The service notices the aborted upload a moment later.
    let status = 0;
    for (let tries = 0; tries < 100 && status !== 201; tries += 1) ({ status } = await upload(user, id, 1_000));
    expect(status).toBe(201);
  });

  it('are counted where the conversation was archived before the upload came to its end', async () => {
    const user = await deployment.newUser();
    const id = await conversationOf(user);
    const url = user.url(`/conversations/${id}/artifacts?name=late.bin`);
    const late = new ReadableStream({
      start: async (controller) => {
        controller.enqueue(Buffer.alloc(600));
        await until('its place', async () => (await places(user))[0]);
        await user.post(`/conversations/${id}/archive`);
        controller.close();
      },
    });
    const init = { method: 'POST', headers: user.headers, body: late, duplex: 'half' };
    expect((await fetch(url, init)).status).toBe(404);
    // The bytes are stored, although no conversation names them.
    const other = await conversationOf(user);
    expect((await upload(user, other, 401)).status).toBe(413);
    expect((await upload(user, other, 400)).status).toBe(201);
  });
});

describe('what waits for its user', () => {
  const retryAfter = ({ headers }: Answer) => Number(headers.get('retry-after'));

  it('prepared withdrawals: one that is denied makes room, and so does time', async () => {
    const user = await newOwner(deployment);
    const ask = (via: TestClient) => via.post<Prepared>('/wallet/withdrawals', { tokenId: usdc, amountRaw: '1' });
    const answers = await atOnce(user, 6, ask);
    const prepared = withStatus(answers, 200);
    expect(prepared).toHaveLength(quota.preparedWithdrawals);
    for (const refused of withStatus(answers, 429)) {
      expectProblem(refused, 'rate_limited');
      expect(retryAfter(refused)).toBeGreaterThan(0);
      expect(retryAfter(refused)).toBeLessThanOrEqual(900);
    }
    expect(withStatus(answers, 429)).toHaveLength(6 - quota.preparedWithdrawals);
    expect((await user.post(`/approvals/${prepared[0]?.body.approvalId}/deny`, {})).status).toBe(200);
    expect((await ask(user)).status).toBe(200);
    expect((await ask(user)).status).toBe(429);
  });

  it('pending approvals: a model is told, a rule with a contract is refused, and nothing is opened', async () => {
    const user = await newOwner(deployment);
    for (let count = 0; count < quota.preparedWithdrawals; count += 1) await prepare(user, usdc, '1');
    const { runId } = (await start(user, await conversationOf(user), 'withdraw 1 USDC')).body;
    const approval = await pendingOf(user, runId);

    expect(await say(user, await conversationOf(user), 'withdraw 1 USDC')).toMatchObject({
      status: 'completed',
      response: {
        text: 'It could not be done: too many approvals wait for the user already: some must be decided first.',
      },
    });
    const refused = await user.post('/automations', rule({ contract: contractOf({}) }));
    expectProblem(refused, 'rate_limited');
    expect(retryAfter(refused)).toBeGreaterThan(0);
    expect((await user.get<Listed>('/automations')).body.total).toBe(0);
    expect((await user.get<Listed>('/approvals')).body.total).toBe(quota.pendingApprovals);

    await user.post(`/approvals/${approval.id}/deny`, {});
    expect((await user.post('/automations', rule({ contract: contractOf({}) }))).status).toBe(201);
  });
});
