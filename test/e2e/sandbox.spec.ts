import { request } from 'node:http';
import { Clock, epochMsOf, instantOf, type Instant } from '@app/kernel';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { randomUUID } from 'node:crypto';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { requestJson, TestClient } from '@app/testing/client';
import { newOwner, partOf } from '@app/testing/journeys';
import { clockCases, timerCases } from './sandbox-clock';
import { productionCases } from './sandbox-production';
import { refusalCases, refusedBy } from './sandbox-refusals';

let deployment: Deployment;
let other: string;

beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 } });
  other = deployment.baseUrls[1] ?? '';
});

afterAll(async () => deployment.stop());

describe('the issuer', () => {
  it('mints user tokens that its published keys verify, on every replica', async () => {
    const before = Math.floor(epochMsOf(partOf(deployment, Clock).now()) / 1000);
    const { accessToken, expiresAt } = await deployment.sandbox<{ accessToken: string; expiresAt: Instant }>(
      'POST',
      'tokens',
      { subject: 'alice', expiresInSeconds: 90 },
    );
    for (const baseUrl of deployment.baseUrls) {
      const discovery = await requestJson<{ issuer: string; jwks_uri: string }>(
        'GET',
        `${baseUrl}/sandbox/issuer/.well-known/openid-configuration`,
      );
      expect(discovery.body.issuer).toBe(`${deployment.baseUrls[0]}/sandbox/issuer`);
      const keys = createRemoteJWKSet(new URL(`${baseUrl}/sandbox/issuer/jwks`));
      const { payload } = await jwtVerify(accessToken, keys, { audience: 'parley', issuer: discovery.body.issuer });
      expect(payload.sub).toBe('alice');
      expect(payload.iat).toBeGreaterThanOrEqual(before);
      expect(payload.exp).toBe((payload.iat ?? 0) + 90);
      expect(expiresAt).toBe(instantOf((payload.exp ?? 0) * 1000));
    }
    const { keys } = (await requestJson<{ keys: object[] }>('GET', `${other}/sandbox/issuer/jwks`)).body;
    expect(keys).toEqual([expect.not.objectContaining({ d: expect.anything() as unknown })]);
  });

  it('mints operator tokens for the operators’ own audience, an hour long', async () => {
    const { accessToken } = await deployment.sandbox<{ accessToken: string }>('POST', 'operator-tokens', {
      subject: 'olga',
      scopes: ['keys', 'audit'],
    });
    const keys = createRemoteJWKSet(new URL(`${other}/sandbox/issuer/jwks`));
    const { payload } = await jwtVerify(accessToken, keys, { audience: 'parley-operator' });
    expect(payload).toMatchObject({ sub: 'olga', scope: 'keys audit', exp: (payload.iat ?? 0) + 3600 });
    const asUser = new TestClient(deployment.baseUrls[0] ?? '', deployment.partnerKey, accessToken, randomUUID());
    expect((await asUser.get('/v1/users/me')).status).toBe(401);
  });
});

clockCases(() => deployment);
timerCases(() => deployment);

describe('faults', () => {
  const provider = {
    submit: 'ok',
    settleAfterSeconds: 2,
    down: false,
    sessionRejected: false,
    duplicateCallbacks: false,
    unpriced: false,
    undescribed: false,
  };
  const model = { delayMs: null, fail: false };
  const unset = { provider, model };
  afterEach(() => deployment.sandbox('PUT', 'faults', unset));

  it('are none at first, set what they name and leave the rest, everywhere', async () => {
    expect(await deployment.sandbox('GET', 'faults')).toEqual(unset);
    expect(await deployment.sandbox('PUT', 'faults', { model: { delayMs: 7 } })).toEqual({
      provider,
      model: { delayMs: 7, fail: false },
    });
    expect(await deployment.sandbox('PUT', 'faults', { model: { fail: true } })).toEqual({
      provider,
      model: { delayMs: 7, fail: true },
    });
    const changed = { provider: { ...provider, submit: 'reject', down: true }, model: { delayMs: 7, fail: true } };
    expect(await deployment.sandbox('PUT', 'faults', { provider: { submit: 'reject', down: true } })).toEqual(changed);
    const absent = { provider: { submit: null, down: null }, model: null };
    for (const nothing of [{}, absent]) expect(await deployment.sandbox('PUT', 'faults', nothing)).toEqual(changed);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await requestJson('GET', `${other}/sandbox/v1/faults`)).body).toEqual(changed);
  });

  it('reject the session of one wallet, until it connects again', async () => {
    const [user, other] = [await newOwner(deployment), await newOwner(deployment)];
    const sources = async (of: TestClient) => (await of.get('/wallet/withdrawals/sources')).status;
    const rejecting = { provider: { rejectSessionOf: user.userId } };
    expect(await deployment.sandbox('PUT', 'faults', rejecting)).toEqual(unset);
    expect([await sources(user), await sources(other)]).toEqual([409, 200]);
    expect((await user.get('/wallet')).body).toMatchObject({ authStatus: 'authorization_required' });
    expect((await user.post('/wallet')).body).toMatchObject({ authStatus: 'ready' });
    expect(await sources(user)).toBe(200);
  });

  it('make a model step take its time, or fail', async () => {
    const user = await deployment.newUser();
    const { body: conversation } = await user.post<{ id: string }>('/conversations');
    const run = async (): Promise<{ status: unknown; tookMs: number }> => {
      const startedMs = performance.now();
      const started = await user.post('/agent-runs', {
        conversationId: conversation.id,
        input: { text: 'repeat after me: one two three four five six seven eight nine ten' },
      });
      expect(started.status).toBe(202);
      const stream = await user.stream(
        `/conversations/${conversation.id}/stream?cursor=${String(started.body['seq'])}`,
      );
      const ended = await stream.untilEvent('run.ended');
      await stream.close();
      return { status: ended.data.payload['status'], tookMs: performance.now() - startedMs };
    };
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 1_500 } });
    const slow = await run();
    expect(slow.status).toBe('completed');
    expect(slow.tookMs).toBeGreaterThan(1_300);
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
    const quick = [await run(), await run(), await run()].map(({ tookMs }) => tookMs);
    expect(Math.min(...quick)).toBeLessThan(slow.tookMs);
    await deployment.sandbox('PUT', 'faults', { model: { fail: true } });
    expect((await run()).status).toBe('failed');
  });
});

describe('prices', () => {
  const tokenId = 'nep141:wrap.near';
  afterEach(() => deployment.sandbox('PUT', `prices/${tokenId}`, { priceUsd: null }));

  it('stay where they are pinned, and follow their path again', async () => {
    const path = await deployment.sandbox<{ priceUsd: string }>('PUT', `prices/${tokenId}`, { priceUsd: null });
    expect(path).toEqual({ tokenId, priceUsd: expect.stringMatching(/^2\.\d{1,6}$/) as unknown });
    const pinned = await deployment.sandbox('PUT', `prices/${tokenId}`, { priceUsd: '1.000000000000000001' });
    expect(pinned).toEqual({ tokenId, priceUsd: '1.000000000000000001' });
    const asPeopleDo = await deployment.sandbox('PUT', `prices/${tokenId}`, { priceUsd: '1.90' });
    expect(asPeopleDo).toEqual({ tokenId, priceUsd: '1.90' });
    const again = await deployment.sandbox<{ priceUsd: string }>('PUT', `prices/${tokenId}`, { priceUsd: null });
    expect(again.priceUsd).toMatch(/^2\.\d{1,6}$/);
  });

  it('are what wallets are worth from then on, on every replica', async () => {
    const user = await deployment.newUser();
    await user.post('/wallet');
    await deployment.sandbox('PUT', `prices/${tokenId}`, { priceUsd: '2.345' });
    for (const baseUrl of deployment.baseUrls) {
      const { body } = await user.via(baseUrl).get<{ assets: object[] }>('/wallet/withdrawals/sources');
      const near = { tokenId, priceUsdDecimal: '2.345', valueUsdCents: '9380' };
      expect(body.assets).toContainEqual(expect.objectContaining(near));
    }
  });

  it('are those of the sandbox’s own tokens', async () => {
    for (const id of ['nep141:nobody.near', '']) {
      expect((await refusedBy(deployment, ['PUT', `prices/${id}`], { priceUsd: '1' })).status).toBe(404);
    }
  });
});

describe('deposits', () => {
  const tokenId = 'nep141:wrap.near';

  it('fund a wallet on top of what it starts with, on any replica', async () => {
    const user = await deployment.newUser();
    expect((await user.post('/wallet')).status).toBe(200);
    const body = { userId: user.userId.toUpperCase(), tokenId, amountRaw: '1' };
    expect(await deployment.sandbox('POST', 'deposits', body)).toEqual({
      tokenId,
      amountRaw: '40000000000000000000000001',
    });
    const again = await requestJson('POST', `${other}/sandbox/v1/deposits`, body);
    expect(again.body).toEqual({ tokenId, amountRaw: '40000000000000000000000002' });
    const sources = await user.via(other).get<{ assets: object[] }>('/wallet/withdrawals/sources');
    expect(sources.body.assets).toContainEqual(expect.objectContaining(again.body));
  });

  it('know no user who has no wallet', async () => {
    const user = await deployment.newUser();
    expect(
      (await refusedBy(deployment, ['POST', 'deposits'], { userId: user.userId, tokenId, amountRaw: '1' })).status,
    ).toBe(404);
  });
});

refusalCases(() => deployment);

describe('the sandbox’s calls', () => {
  const calls = ['/sandbox/v1/clock', '/sandbox/v1/faults', '/sandbox/issuer/jwks'];

  /** The status for a chosen `Host`, which fetch would not send. */
  function statusFor(path: string, headers: Record<string, string>): Promise<number | undefined> {
    const url = new URL(path, deployment.baseUrls[0]);
    return new Promise((resolve, reject) => {
      request({ hostname: url.hostname, port: url.port, path, headers, agent: false }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      })
        .on('error', reject)
        .end();
    });
  }

  it.each(calls)('%s wants a loopback Host', async (path) => {
    for (const host of ['evil.example', 'localhost.evil.example:80', '127.0.0.1.evil.example', '10.0.0.1', '0x7f.1']) {
      expect(await statusFor(path, { host })).toBe(403);
    }
    for (const host of ['localhost', 'LOCALHOST:8080', '127.0.0.1:1', '127.8.9.10', '[::1]:8080']) {
      expect(await statusFor(path, { host })).toBe(200);
    }
  });

  it.each(calls)('%s refuses a foreign page', async (path) => {
    expect(await statusFor(path, { host: 'localhost', origin: 'https://evil.example' })).toBe(403);
  });
});

productionCases();
