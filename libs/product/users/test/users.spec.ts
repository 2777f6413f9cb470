import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandBus } from '@nestjs/cqrs';
import { DisableUser, EnableUser } from '@app/users';
import { v7 as uuidV7 } from 'uuid';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { requestJson, type TestClient } from '@app/testing/client';
import {
  anInstant,
  aUuid,
  bare,
  byOperator,
  conversationOf,
  expectProblem,
  partOf,
  raw,
  sql,
  startLongRun,
  untilEnded,
} from '@app/testing/journeys';

let deployment: Deployment;
let other: string;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 } });
  other = deployment.baseUrls[1] ?? '';
});
afterAll(() => deployment.stop());

interface User {
  userId: string;
  subject: string;
  expiresAt: string;
}

/** Credentials of an identity that has no account yet. */
async function newIdentity() {
  const subject = `new-${randomUUID()}`;
  const { accessToken, expiresAt } = await deployment.sandbox<{ accessToken: string; expiresAt: string }>(
    'POST',
    'tokens',
    { subject },
  );
  return { subject, expiresAt, 'x-api-key': deployment.partnerKey, authorization: `Bearer ${accessToken}` };
}

describe('users.ensure', () => {
  it('makes one account, no matter who asks, how often and where', async () => {
    const { subject, expiresAt, ...headers } = await newIdentity();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        requestJson<User>('POST', `${deployment.baseUrls[index % 2]}/v1/users`, index % 3 ? {} : undefined, headers),
      ),
    );
    const [{ body } = { body: undefined }] = answers;
    expect(body).toEqual({ userId: aUuid, subject, expiresAt });
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([200, body]);
    const rows = await sql(deployment, 'SELECT subject FROM users WHERE user_id = $1', [body?.userId]);
    expect(rows).toEqual([{ subject: expect.stringMatching(/^\{"sealed":"1:u\//) as string }]);
    expect((await requestJson('GET', `${other}/v1/users/me`, undefined, headers)).body).toEqual(body);
  });

  it('takes nothing but an empty object', async () => {
    const user = await deployment.newUser();
    expectProblem(await user.post('/v1/users', { name: 'Ada', '~/': 1 }), 'invalid_input', { at: ['/name', '/~0~1'] });
    expectProblem(await user.post('/v1/users', []), 'invalid_input', { at: [''] });
    expectProblem(await user.post('/v1/users?a=1'), 'invalid_input', { at: ['/a'] });
    const text = { body: '{}', headers: { 'content-type': 'text/plain' } };
    expectProblem(await raw(user, 'POST', '/v1/users', text), 'invalid_input', { at: [''] });
    for (const body of ['null', '{', '{"a":1,"a":2}', '"x"', '1e999'])
      expectProblem(
        await raw(user, 'POST', '/v1/users', { body, headers: { 'content-type': 'application/json' } }),
        'invalid_input',
      );
  });
});

describe('users.me', () => {
  it('says who calls, and until when the credential lasts', async () => {
    const user = await deployment.newUser();
    const { status, body, headers } = await user.via(other).get<User>('/v1/users/me');
    expect([status, body]).toEqual([200, { userId: user.userId, subject: expect.any(String), expiresAt: anInstant }]);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expectProblem(await user.get('/v1/users/me?x=1'), 'invalid_input', { at: ['/x'] });
  });
});

describe('an identity without an account', () => {
  it('may only ensure one', async () => {
    const { subject: _, expiresAt: __, ...headers } = await newIdentity();
    const at = (path: string) => `${deployment.baseUrls[0]}${path}`;
    expectProblem(await bare('GET', at('/v1/users/me'), headers), 'account_not_provisioned');
    const stranger = (await deployment.newUser()).userId;
    expectProblem(await bare('GET', at(`/v1/users/${stranger}/budget`), headers), 'account_not_provisioned');
    expectProblem(await bare('GET', at('/v1/users/nonsense/budget'), headers), 'account_not_provisioned');
    expect((await bare('POST', at('/v1/users'), headers)).status).toBe(200);
    expect((await bare('GET', `${other}/v1/users/me`, headers)).status).toBe(200);
  });
});

describe('a disabled account', () => {
  const disable = (user: TestClient) => partOf(deployment, CommandBus).execute(new DisableUser(byOperator(user)));

  it('is refused everywhere, ensure included, and has lost nothing when it is enabled again', async () => {
    const user = await deployment.newUser();
    const id = await conversationOf(user, 'kept');
    await disable(user);
    for (const replica of deployment.baseUrls) {
      const there = user.via(replica);
      expectProblem(await there.post('/v1/users'), 'account_disabled');
      expectProblem(await there.get('/v1/users/me'), 'account_disabled');
      expectProblem(await there.get(`/conversations/${id}`), 'account_disabled');
      expectProblem(await there.get(`/v1/users/${uuidV7()}/budget`), 'account_disabled');
    }
    await partOf(deployment, CommandBus, 1).execute(new EnableUser(byOperator(user)));
    expect((await user.post('/v1/users')).status).toBe(200);
    expect((await user.get(`/conversations/${id}`)).body).toMatchObject({ title: 'kept' });
  });

  it('ends its run at the next step that it would take', async () => {
    const user = await deployment.newUser();
    const id = await conversationOf(user);
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 700 } });
    const { body } = await user.post<{ runId: string }>('/agent-runs', {
      conversationId: id,
      input: { text: 'what time is it' },
    });
    await disable(user);
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: null } });
    const ends = () =>
      sql(deployment, `SELECT 1 FROM event_store.events WHERE stream = $1 AND type = 'run.ended'`, [
        `conversation-${id}`,
      ]);
    while ((await ends()).length === 0) await sleep(50);
    await partOf(deployment, CommandBus).execute(new EnableUser(byOperator(user)));
    expect(await untilEnded(user, body.runId)).toMatchObject({
      status: 'failed',
      response: null,
      failure: { reason: 'account_disabled', text: expect.any(String) },
    });
  });
});

it('a user who goes away stops no run', async () => {
  const user = await deployment.newUser();
  const id = await conversationOf(user);
  const reader = await user.stream(`/conversations/${id}/stream`);
  const runId = await startLongRun(user, id);
  await reader.untilEvent('agent.text_delta');
  await reader.close();
  expect((await user.get(`/agent-runs/${runId}`)).body).toMatchObject({ status: 'running' });
  expect((await user.post(`/agent-runs/${runId}/abort`)).body).toEqual({ aborted: true });
});
