import { request } from 'node:http';
import { Clock, epochMsOf, instantOf, type Instant } from '@app/kernel';
import { Database } from '@app/read-store';
import { Timers, type Timer } from '@app/timers';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { randomUUID } from 'node:crypto';
import { LoopbackIssuer } from '@app/testing/identity';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { requestJson, TestClient } from '@app/testing/client';

interface ClockReading {
  now: Instant;
  remainingSeconds: number;
}

/** A class, also one whose constructor is private. */
interface Token<Value> extends NewableFunction {
  readonly prototype: Value;
}

let deployment: Deployment;
let other: string;

beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 } });
  other = deployment.baseUrls[1] ?? '';
});

afterAll(async () => deployment.stop());

function part<Value>(token: Token<Value>): Value {
  const value = deployment.running[0]?.app.get<Value>(token, { strict: false });
  if (value === undefined) throw new Error('no replica runs');
  return value;
}

/** What a call that the sandbox refuses answers. */
async function refused(method: string, path: string, body?: object): Promise<{ status: number; paths: unknown[] }> {
  const answer = await requestJson<{ issues?: { path: string }[] }>(
    method,
    `${deployment.baseUrls[0]}/sandbox/v1/${path}`,
    body,
  );
  return { status: answer.status, paths: answer.body.issues?.map((issue) => issue.path) ?? [] };
}

describe('the issuer', () => {
  it('mints user tokens that its published keys verify, on every replica', async () => {
    const before = Math.floor(epochMsOf(part(Clock).now()) / 1000);
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

  it.each([
    [{}, ['/subject']],
    [{ subject: '' }, ['/subject']],
    [{ subject: 'x'.repeat(513) }, ['/subject']],
    [{ subject: null, expiresInSeconds: 0 }, ['/subject', '/expiresInSeconds']],
    [{ subject: 'a', expiresInSeconds: 31_622_401 }, ['/expiresInSeconds']],
    [{ subject: 'a', expiresInSeconds: 1.5 }, ['/expiresInSeconds']],
    [{ subject: 'a', more: 1 }, ['/more']],
  ])('refuses %j', async (body, paths) => {
    const answer = await refused('POST', 'tokens', body);
    expect(answer.status).toBe(400);
    expect(answer.paths.sort()).toEqual([...paths].sort());
  });

  it.each([
    [{ subject: 'a' }, ['/scopes']],
    [{ subject: 'a', scopes: ['two words'] }, ['/scopes/0']],
    [{ subject: 'a', scopes: 'keys' }, ['/scopes']],
  ])('refuses operator tokens of %j', async (body, paths) => {
    expect(await refused('POST', 'operator-tokens', body)).toEqual({ status: 400, paths });
  });
});

describe('the clock', () => {
  const moved = (advanceSeconds: number) => deployment.sandbox<ClockReading>('POST', 'clock', { advanceSeconds });

  it('moves every process, and the expiry of tokens with them', async () => {
    const user = await deployment.newUser();
    const { accessToken } = await deployment.sandbox<{ accessToken: string }>('POST', 'tokens', {
      subject: 'soon-gone',
      expiresInSeconds: 600,
    });
    const short = new TestClient(other, deployment.partnerKey, accessToken, user.userId);
    expect((await short.post('/v1/users')).status).toBe(200);
    const before = await deployment.sandbox<ClockReading>('GET', 'clock');
    const askedMs = performance.now();
    const after = await moved(601);
    expect(after.remainingSeconds).toBe(0);
    const gainedMs = epochMsOf(after.now) - epochMsOf(before.now);
    expect(gainedMs).toBeGreaterThanOrEqual(601_000);
    // Besides, the clock ran on while this was asked and answered.
    expect(gainedMs).toBeLessThan(601_000 + 1_000 + (performance.now() - askedMs));
    const elsewhere = await requestJson<ClockReading>('GET', `${other}/sandbox/v1/clock`);
    expect(epochMsOf(elsewhere.body.now)).toBeGreaterThanOrEqual(epochMsOf(after.now));
    const refusedNow = await short.get('/v1/users/me');
    expect(refusedNow.body).toMatchObject({ status: 401, reason: 'credential_expired' });
    expect((await user.via(other).get('/v1/users/me')).status).toBe(200);
  });

  it('adds up moves that are asked for at once, on any replica', async () => {
    const before = await deployment.sandbox<ClockReading>('GET', 'clock');
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        requestJson('POST', `${deployment.baseUrls[index % 2]}/sandbox/v1/clock`, { advanceSeconds: 100 }),
      ),
    );
    const after = await deployment.sandbox<ClockReading>('GET', 'clock');
    expect(epochMsOf(after.now) - epochMsOf(before.now)).toBeGreaterThanOrEqual(1_200_000);
  });

  it.each([{}, { advanceSeconds: 0 }, { advanceSeconds: -1 }, { advanceSeconds: 31_622_401 }, { advanceSeconds: '1' }])(
    'refuses %j',
    async (body) => {
      expect(await refused('POST', 'clock', body)).toEqual({ status: 400, paths: ['/advanceSeconds'] });
    },
  );

  describe('steps through timers', () => {
    const handled: { id: string; dueAt: Instant; at: Instant }[] = [];
    const minutesFromNow = (minutes: number): Instant => instantOf(part(Clock).epochMs() + minutes * 60_000);
    const kind = 'sandbox-spec';
    const timer = (id: string, dueAt: Instant, payload = {}): Timer => ({ id, kind, dueAt, payload });

    beforeAll(() => {
      for (const { app } of deployment.running) {
        const timers = app.get(Timers, { strict: false });
        timers.handle(kind, async ({ id, dueAt, payload }) => {
          if (payload['failures'] !== undefined && handled.filter((one) => one.id === id).length < 1) {
            handled.push({ id, dueAt, at: part(Clock).now() });
            throw new Error('planned');
          }
          handled.push({ id, dueAt, at: part(Clock).now() });
          const again = payload['againInMinutes'];
          if (typeof again === 'number') {
            await timers.schedule(timer(id, instantOf(epochMsOf(dueAt) + again * 60_000), { last: true }));
          }
        });
      }
    });

    beforeEach(() => void (handled.length = 0));

    it('in order, each at its own instant, with what their handlers schedule on the way', async () => {
      const timers = part(Timers);
      const [soon, later, far] = [minutesFromNow(30), minutesFromNow(90), minutesFromNow(300)];
      await timers.schedule(timer('later', later));
      await timers.schedule(timer('soon', soon, { againInMinutes: 20 }));
      await timers.schedule(timer('far', far));
      await timers.schedule(timer('gone', soon));
      await timers.cancel('gone');
      const askedMs = performance.now();
      expect((await moved(7_200)).remainingSeconds).toBe(0);
      const tookMs = performance.now() - askedMs;
      expect(handled.map(({ id }) => id)).toEqual(['soon', 'soon', 'later']);
      for (const { dueAt, at } of handled) {
        const lateMs = epochMsOf(at) - epochMsOf(dueAt);
        expect(lateMs).toBeGreaterThanOrEqual(0);
        expect(lateMs).toBeLessThan(1_000 + tookMs); // the clock runs on meanwhile
      }
      expect(await timers.nextDue()).toBe(far);
      await timers.cancel('far');
    });

    it('waiting for those that fail first, and for those that a dead worker had claimed', async () => {
      const timers = part(Timers);
      await timers.schedule(timer('failing', minutesFromNow(1), { failures: 1 }));
      await timers.schedule(timer('orphan', minutesFromNow(2)));
      await part(Database).query(`UPDATE timers SET claimed_by = $1 WHERE id = 'orphan'`, [randomUUID()]);
      expect((await moved(300)).remainingSeconds).toBe(0);
      expect(handled.map(({ id }) => id)).toEqual(['failing', 'failing', 'orphan']);
      expect(await timers.nextDue()).toBeNull();
    });

    it('handles what falls due by itself, without a move, and stands or falls with a transaction', async () => {
      const timers = part(Timers);
      await timers.schedule(timer('by itself', instantOf(part(Clock).epochMs() + 150)));
      await part(Database)
        .transaction(async (manager) => {
          await timers.schedule(timer('rolled back', instantOf(part(Clock).epochMs() + 100)), manager);
          throw new Error('rolled back');
        })
        .catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 600));
      expect(handled.map(({ id }) => id)).toEqual(['by itself']);
    });

    it('at most 2,000 instants in one call', async () => {
      const timers = part(Timers);
      const start = part(Clock).epochMs() + 10_000;
      // The clock runs on between the calls: the last ten must not fall due by that.
      const beyondMs = 1_200_000;
      await part(Database).query(
        `INSERT INTO timers (id, kind, due_at_ms, payload)
         SELECT 'many-' || n, $1, $2::bigint + n * 1000 + $3 * (n > 2000)::int, '{}' FROM generate_series(1, 2010) AS n`,
        [kind, start, beyondMs],
      );
      const first = await moved(3_600);
      expect(handled).toHaveLength(2_000);
      expect(first.remainingSeconds).toBeGreaterThan(1_210);
      const second = await moved(first.remainingSeconds);
      expect(second.remainingSeconds).toBe(0);
      expect(handled).toHaveLength(2_010);
      expect(await timers.nextDue()).toBeNull();
    });
  });
});

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

  it.each([
    [{ model: { delayMs: 60_001 } }, ['/model/delayMs']],
    [{ model: { delayMs: 0.5, fail: 'yes' } }, ['/model/delayMs', '/model/fail']],
    [{ model: [] }, ['/model']],
    [{ model: { speed: 1 } }, ['/model/speed']],
    [{ provider: null, model: { delayMs: 0, fail: 0 } }, ['/model/fail']],
    [{ provider: { submit: 'never', down: 1 } }, ['/provider/down', '/provider/submit']],
    [{ provider: { settleAfterSeconds: 3_601 } }, ['/provider/settleAfterSeconds']],
    [{ provider: { settleAfterSeconds: -1, other: true } }, ['/provider/other', '/provider/settleAfterSeconds']],
  ])('refuses %j', async (body, paths) => {
    const answer = await refused('PUT', 'faults', body);
    expect({ ...answer, paths: answer.paths.sort() }).toEqual({ status: 400, paths });
  });
});

describe('prices', () => {
  const tokenId = 'nep141:wrap.near';
  const put = (id: string, priceUsd: unknown) => refused('PUT', `prices/${id}`, { priceUsd });
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

  it.each([0, 1.5, '', '0', '0.0', '-1', '1.', '.5', '01', '1e3', ' 1', '1'.repeat(40), `1.${'1'.repeat(19)}`])(
    'refuse %j',
    async (priceUsd) => {
      expect(await put(tokenId, priceUsd)).toEqual({ status: 400, paths: ['/priceUsd'] });
    },
  );

  it('are those of the sandbox’s own tokens', async () => {
    expect((await put('nep141:nobody.near', '1')).status).toBe(404);
    expect((await put('', '1')).status).toBe(404);
  });
});

describe('deposits', () => {
  const tokenId = 'nep141:wrap.near';
  const userId = randomUUID();

  it.each([
    [{ userId, tokenId: 'nep141:nobody.near', amountRaw: '1' }, ['/tokenId']],
    [{ userId, tokenId: '', amountRaw: '1' }, ['/tokenId']],
    [{ userId: 'me', tokenId, amountRaw: '1' }, ['/userId']],
    [{ userId, tokenId, amountRaw: '0' }, ['/amountRaw']],
    [{ userId, tokenId, amountRaw: '01' }, ['/amountRaw']],
    [{ userId, tokenId, amountRaw: '1.5' }, ['/amountRaw']],
    [{ userId, tokenId, amountRaw: '-1' }, ['/amountRaw']],
    [{ userId, tokenId, amountRaw: 1 }, ['/amountRaw']],
    [{ userId, tokenId, amountRaw: '1'.repeat(151) }, ['/amountRaw']],
    [{}, ['/amountRaw', '/tokenId', '/userId']],
  ])('refuse %j', async (body, paths) => {
    const answer = await refused('POST', 'deposits', body);
    expect({ ...answer, paths: answer.paths.sort() }).toEqual({ status: 400, paths });
  });

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
    expect((await refused('POST', 'deposits', { userId: user.userId, tokenId, amountRaw: '1' })).status).toBe(404);
  });
});

describe('the sandbox’s calls', () => {
  const calls = ['/sandbox/v1/clock', '/sandbox/v1/faults', '/sandbox/issuer/jwks'];

  /** The status for a `Host` of the caller's choice, which fetch would not send. */
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

describe('production mode', () => {
  it('has no sandbox, and runs on real time', async () => {
    const issuer = new LoopbackIssuer();
    await issuer.start();
    const production = await startDeployment({
      mode: 'in-process',
      env: {
        PARLEY_MODE: 'production',
        OIDC_ISSUER: issuer.issuer,
        WALLET_PROVIDER: 'near-intents',
        SOLVER_RELAY_TOKEN: 'for-the-relay',
      },
    });
    try {
      const [baseUrl = ''] = production.baseUrls;
      const missing = await requestJson('GET', `${baseUrl}/sandbox/v1/nothing`);
      for (const [method, path] of [
        ['GET', 'v1/clock'],
        ['POST', 'v1/clock'],
        ['POST', 'v1/tokens'],
        ['POST', 'v1/operator-tokens'],
        ['GET', 'v1/faults'],
        ['PUT', 'v1/faults'],
        ['PUT', 'v1/prices/nep141:wrap.near'],
        ['POST', 'v1/deposits'],
        ['GET', 'issuer/jwks'],
        ['GET', 'issuer/.well-known/openid-configuration'],
      ] as const) {
        const answer = await requestJson(method, `${baseUrl}/sandbox/${path}`);
        expect(answer.status).toBe(404);
        expect({ ...answer.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
      }
      const clock = production.running[0]?.app.get(Clock, { strict: false });
      expect(Math.abs((clock?.epochMs() ?? 0) - Date.now())).toBeLessThan(1_000);
    } finally {
      await production.stop();
      await issuer.stop();
    }
  });
});
