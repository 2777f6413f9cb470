import { EventStore } from '@app/event-store';
import { type OperatorClient, operatorOf, type TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import {
  asking,
  conversationOf,
  defined,
  expectProblem,
  newOwner,
  partOf,
  prepare,
  say,
  start,
  startLongRun,
  usdc,
  type Listed,
} from '@app/testing/journeys';

interface Used {
  readonly lastUsedAt: string | null;
  readonly types: readonly object[];
}

let deployment: Deployment;
let operator: OperatorClient;
let user: TestClient;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process' });
  operator = await operatorOf(deployment, ['users']);
  user = await newOwner(deployment);
});
afterAll(() => deployment.stop());

const reason = 'a report of fraud';
const logged = async () => partOf(deployment, EventStore).readStream('operator-log', 0, 1_000);
const change = (path: string, body: object = {}, method = 'POST') =>
  operator.request(method, `/users/${user.userId}${path}`, { reason, ...body });
const search = async (q: string) => {
  const { body } = await operator.get<Listed>(`/users?q=${encodeURIComponent(q)}`);
  return body.data.map(({ userId }) => userId);
};

describe('a user', () => {
  it('is found by their id, by an id of anything that they have, and by issuer and subject', async () => {
    const conversationId = await conversationOf(user);
    const run = await say(user, conversationId);
    const { approval } = await asking(user, await conversationOf(user), 'withdraw 0.000001 USDC');
    const { operationId } = await prepare(user, usdc, '1');
    const ids = [user.userId.toUpperCase(), conversationId, String(run['id']), approval.id, operationId];
    for (const id of ids) expect([id, await search(id)]).toEqual([id, [user.userId]]);
    const { body } = await operator.get<{ account: { issuer: string; subject: string } }>(`/users/${user.userId}`);
    expect(await search(`${body.account.issuer} ${body.account.subject}`)).toEqual([user.userId]);
    for (const nothing of ['0190a000-0000-7000-8000-00000000dead', 'https://a.example unknown'])
      expect(await search(nothing)).toEqual([]);
    for (const text of ['unknown', '%20', 'https://a.example'])
      expectProblem(await operator.get(`/users?q=${text}`), 'invalid_input', { at: ['/q'] });
  });

  it('who chose the id of another one’s run is found beside them, a page at a time', async () => {
    const other = await deployment.newUser();
    const runId = '0190a000-0000-7000-8000-000000000001';
    for (const one of [user, other]) {
      const started = await start(one, await conversationOf(one), undefined, { runId });
      expect(started.status).toBe(202);
    }
    const found = [user.userId, other.userId].sort();
    expect(await search(runId)).toEqual(found);
    const first = await operator.get<Listed>(`/users?q=${runId}&limit=1`);
    const second = await operator.get<Listed>(`/users?q=${runId}&limit=1&cursor=${first.body.nextCursor}`);
    expect([...first.body.data, ...second.body.data].map(({ userId }) => userId)).toEqual(found);
    expect(second.body.nextCursor).toBeNull();
    expectProblem(await operator.get(`/users?q=${user.userId}&cursor=${first.body.nextCursor}`), 'invalid_cursor');
  });

  it('is shown by how much there is of each kind, and the newest', async () => {
    const shown = await newOwner(deployment);
    const empty = await operator.get(`/users/${shown.userId}`);
    const none = { count: 0, newest: [] };
    expect(empty.body).toMatchObject({
      account: { userId: shown.userId, disabled: false },
      wallet: { status: 'active' },
      budget: { ok: true, frozen: false },
      liveRuns: none,
      pendingApprovals: none,
      unresolvedOperations: none,
      automations: none,
    });
    const runIds: string[] = [];
    for (let turn = 0; turn < 2; turn += 1) runIds.push(await startLongRun(shown, await conversationOf(shown)));
    const { approval } = await asking(shown, await conversationOf(shown), 'withdraw 0.000001 USDC');
    const wake = { kind: 'event', types: ['any'] };
    const firing = { trigger: 'match', cooldownSeconds: 0, overlap: 'queue', retryForSeconds: 900 };
    const text = { name: 'a', prompt: 'repeat after me: ok', conversation: 'new' };
    const automation = await defined(shown, { ...text, wake, condition: null, firing });
    const { body } = await operator.get<Record<string, { count: number; newest: { id: string; status: string }[] }>>(
      `/users/${shown.userId}`,
    );
    expect(body['liveRuns']?.newest.map(({ id }) => id)).toEqual(runIds.reverse());
    expect(body['pendingApprovals']).toMatchObject({ count: 1, newest: [{ id: approval.id, status: 'pending' }] });
    expect(body['automations']).toMatchObject({ count: 1, newest: [{ id: automation.id, status: 'enabled' }] });
  });

  it('is looked at only where the log says so', async () => {
    const before = (await logged()).length;
    await operator.get(`/users/${user.userId}`);
    await search('https://a.example unknown');
    expect((await logged()).slice(before)).toMatchObject([
      { type: 'operator.read', payload: { operator: 'ada', operation: 'users.show', target: user.userId } },
      {
        type: 'operator.read',
        payload: { operation: 'users.search', target: '', parameters: { by: 'identity', found: false } },
      },
    ]);
  });

  it('is found by issuer and subject without a trace of either in the log', async () => {
    const before = (await logged()).length;
    const { body } = await operator.get<{ account: { issuer: string; subject: string } }>(`/users/${user.userId}`);
    const { issuer, subject } = body.account;
    expect(await search(`${issuer} ${subject}`)).toEqual([user.userId]);
    const entries = (await logged()).slice(before);
    expect(entries.at(-1)).toMatchObject({
      type: 'operator.read',
      payload: { operation: 'users.search', target: user.userId, parameters: { by: 'identity', found: true } },
    });
    for (const word of [issuer, subject]) expect(JSON.stringify(entries)).not.toContain(word);
  });

  it('is disabled and enabled', async () => {
    expect((await change('/disable')).status).toBe(200);
    expectProblem(await user.get('/wallet'), 'account_disabled');
    expect((await operator.get(`/users/${user.userId}`)).body).toMatchObject({ account: { disabled: true } });
    expect((await change('/enable')).status).toBe(200);
    expect((await user.get('/wallet')).status).toBe(200);
  });

  it('is frozen and unfrozen', async () => {
    expect((await change('/freeze')).status).toBe(200);
    const conversationId = await conversationOf(user);
    expectProblem(await start(user, conversationId), 'budget_exhausted', { retryable: false });
    expect((await user.get('/budget')).body).toMatchObject({ ok: false, frozen: true });
    expect((await change('/unfreeze')).status).toBe(200);
    expect((await start(user, conversationId)).status).toBe(202);
  });

  it('has caps of their own', async () => {
    const caps = { dayCents: 0, monthCents: 7 };
    expect(await change('/caps', caps, 'PUT')).toMatchObject({ status: 200, body: { operation: 'users.setCaps' } });
    expect((await user.get('/budget')).body).toMatchObject({
      ok: false,
      snapshots: [{ capCents: 0 }, { capCents: 7 }],
    });
    const wrong = { dayCents: -1, monthCents: 1_000_000_001 };
    expectProblem(await change('/caps', wrong, 'PUT'), 'invalid_input', { at: ['/dayCents', '/monthCents'] });
    expect((await change('/caps', { dayCents: 500, monthCents: 5_000 }, 'PUT')).status).toBe(200);
  });

  it('has their wallet disabled and enabled', async () => {
    expect((await change('/wallet/disable')).status).toBe(200);
    const asked = { tokenId: usdc, amountRaw: '1' };
    expectProblem(await user.post('/wallet/withdrawals', asked), 'withdrawal_changed', { change: 'wallet_disabled' });
    expect((await change('/wallet/enable')).status).toBe(200);
    await prepare(user, usdc, '1');
  });

  it('without an account, or without a wallet, has nothing to change', async () => {
    const streams = ['budget', 'wallet', 'user'];
    const nobody = '0190a000-0000-5000-8000-00000000dead';
    for (const path of ['/disable', '/enable', '/freeze', '/unfreeze', '/wallet/disable', '/wallet/enable'])
      expectProblem(await operator.post(`/users/${nobody}${path}`, { reason }), 'not_found');
    for (const stream of streams)
      expect(await partOf(deployment, EventStore).lastRevision(`${stream}-${nobody}`)).toBe(-1);
    const { userId } = await deployment.newUser();
    expectProblem(await operator.post(`/users/${userId}/wallet/disable`, { reason }), 'not_found');
    const [last] = (await logged()).slice(-1);
    expect(last).toMatchObject({ type: 'operator.completed', payload: { outcome: 'not_found' } });
  });
});

describe('a partner key', () => {
  it('is minted, shown once, listed, and revoked', async () => {
    const keeper = await operatorOf(deployment, ['keys']);
    const minted = await keeper.post<Record<'keyId' | 'key' | 'createdAt', string>>('/partner-keys', {
      label: 'Acme',
      reason,
    });
    const { keyId, key, createdAt } = minted.body;
    expect(minted).toMatchObject({
      status: 201,
      body: { label: 'Acme', key: expect.stringMatching(/^pk_/) as string },
    });
    const headers = { ...user.headers, 'x-api-key': key };
    const admitted = await fetch(user.url('/wallet'), { headers });
    expect(admitted.status).toBe(200);

    const listed: Record<string, unknown>[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { body: Listed } = await keeper.get(`/partner-keys?limit=1${cursor && `&cursor=${cursor}`}`);
      listed.push(...page.body.data);
      cursor = page.body.nextCursor;
    }
    expect(listed.filter((one) => one['keyId'] === keyId)).toEqual([
      { keyId, label: 'Acme', feed: false, createdAt, revokedAt: null },
    ]);
    expect(listed.length).toBeGreaterThan(1);
    expect(JSON.stringify(await logged())).not.toContain(key);

    expect((await keeper.post(`/partner-keys/${keyId}/revoke`, { reason })).status).toBe(200);
    const [revoked] = (await keeper.get<Listed>('/partner-keys?limit=100')).body.data.filter(
      (one) => one['keyId'] === keyId,
    );
    expect(revoked).toMatchObject({ revokedAt: expect.any(String) as string });
    for (const unseen of [' ', '\u200b', '\u2800\u3164']) {
      const refused = await keeper.post('/partner-keys', { label: unseen, reason: unseen });
      expectProblem(refused, 'invalid_input', { at: ['/label', '/reason'] });
    }
    expectProblem(await keeper.post('/partner-keys', { label: 'x'.repeat(101), reason }), 'invalid_input', {
      at: ['/label'],
    });
  });

  it('is shown with what it did, for whom and when, as far as events tell', async () => {
    const keeper = await operatorOf(deployment, ['keys']);
    const { body: minted } = await keeper.post<Record<'keyId' | 'key', string>>('/partner-keys', {
      label: 'Leaky',
      reason,
    });
    const used = async (query = '') => (await keeper.get<Used>(`/partner-keys/${minted.keyId}/used${query}`)).body;
    const other = await deployment.newUser();
    const headers = (of: TestClient) => ({
      ...of.headers,
      'x-api-key': minted.key,
      'content-type': 'application/json',
    });
    expect((await fetch(user.url('/wallet'), { headers: headers(user) })).status).toBe(200);
    const unused = { key: { keyId: minted.keyId, label: 'Leaky', revokedAt: null }, lastUsedAt: null, requests: 0 };
    expect(await used()).toMatchObject({ ...unused, events: 0, users: [], omittedUsers: 0, types: [] });
    for (const one of [user, other, other]) {
      const made = await fetch(one.url('/conversations'), { method: 'POST', headers: headers(one), body: '{}' });
      expect(made.status).toBe(201);
    }
    const shown = await used();
    expect(shown).toMatchObject({
      lastUsedAt: expect.any(String) as string,
      requests: 3,
      users: [{ userId: other.userId }, { userId: user.userId, events: 1 }],
      nextCursor: null,
    });
    expect(shown.types).toContainEqual({ type: 'conversation.created', events: 3, lastAt: shown.lastUsedAt });
    const looks = (await logged()).filter(({ payload }) => payload['operation'] === 'keys.used');
    expect(looks).toHaveLength(2);
    expectProblem(await keeper.get(`/partner-keys/${user.userId}/used`), 'not_found');
    expectProblem(await keeper.get(`/partner-keys/${minted.keyId}/used?cursor=x`), 'invalid_cursor');
  });
});
