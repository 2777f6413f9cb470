import type { UserId } from '@app/kernel';
import { SignJWT } from 'jose';
import { until } from '@app/testing/until';
import { goodKey, type Loopback, signIn, startLoopback } from '@app/testing/http';
import { LoopbackIssuer } from '@app/testing/identity';
import { answerTo, keyOf, outcomeOf, type Asking } from './answers';

let loopback: Loopback;
let token: string;
let me: UserId;
const stranger = '00000000-0000-4000-8000-000000000000';

async function begin(limitOfUser = '8', issuer?: LoopbackIssuer): Promise<void> {
  const env = { RATE_LIMIT_KEY_PER_MINUTE: '12', RATE_LIMIT_USER_PER_MINUTE: limitOfUser };
  loopback = await startLoopback(env, undefined, issuer);
  ({ userId: me, token } = await signIn(loopback));
}

beforeEach(() => begin());
afterEach(() => loopback.stop());

const key = { 'x-api-key': goodKey };
const both = (bearer = token) => ({ ...key, authorization: `Bearer ${bearer}` });
const call = (path: string, ...how: Asking) => answerTo(loopback.url + path, ...how);
const outcome = (path: string, ...how: Asking) => outcomeOf(loopback.url + path, ...how);

describe('admission of a /v1 request', () => {
  it('lets the caller in, and says who it is', async () => {
    const { status, body, headers } = await call('/v1/users/me', both());
    expect([status, body['userId'], body['subject']]).toEqual([200, me, 'alice']);
    expect(headers.get('ratelimit-policy')).toBe('"key";q=12;w=60, "user";q=8;w=60');
    expect(headers.get('ratelimit')).toBe('"key";r=11;t=60, "user";r=7;t=60');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('checks in the order of the specification, each before the next', async () => {
    const path = `/v1/users/${stranger}/things`;
    // Wrong in every way: each line corrects what was refused before.
    const broken = { method: 'POST', body: '{"name":', headers: { 'content-type': 'application/json' } };
    const evil = { origin: 'https://evil.example' };
    expect(await outcome(path, evil, broken)).toEqual([403, 'origin_rejected']);
    expect(await outcome(path, {}, broken)).toEqual([401, 'partner_key_required']);
    expect(await outcome(path, { 'x-api-key': keyOf('bad') }, broken)).toEqual([401, 'partner_key_invalid']);
    loopback.windows.used.set(`key:id-of-${goodKey}`, 12);
    expect(await outcome(path, key, broken)).toEqual([429, 'rate_limited']);
    loopback.windows.used.clear();
    expect(await outcome(path, key, broken)).toEqual([401, undefined]);
    const expired = await loopback.issuer.token({ exp: Math.floor(Date.now() / 1000) - 1 });
    expect(await outcome(path, both(expired), broken)).toEqual([401, 'credential_expired']);
    const identityId = loopback.accounts.identityIdOf({ issuer: loopback.issuer.issuer, subject: 'alice' });
    loopback.windows.used.set(`user:${identityId}`, 8);
    loopback.accounts.states.clear();
    expect(await outcome(path, both(), broken)).toEqual([429, 'rate_limited']);
    loopback.windows.used.clear();
    expect(await outcome(path, both(), broken)).toEqual([412, 'account_not_provisioned']);
    loopback.accounts.states.set(me, { disabled: true });
    expect(await outcome(path, both(), broken)).toEqual([403, 'account_disabled']);
    loopback.accounts.states.set(me, { disabled: false });
    expect(await outcome('/v1/users/not-a-uuid/things', both(), broken)).toEqual([404, undefined]);
    expect(await outcome(path, both(), broken)).toEqual([403, 'subject_mismatch']);
    loopback.windows.used.clear();
    expect(await outcome(`/v1/users/${me}/things/x/poke`, both(), broken)).toEqual([404, undefined]);
    expect(await outcome(`/v1/users/${me}/things`, both(), broken)).toEqual([400, 'invalid_input']);
  });

  it('takes ids in either case and hands them on in lower case', async () => {
    const id = 'ABCDEF00-0000-4000-8000-00000000ABCD';
    const { status, body } = await call(`/v1/users/${me.toUpperCase()}/things/${id}`, both());
    expect([status, body['id']]).toEqual([200, id.toLowerCase()]);
  });

  it('lets an identity without an account only ensure one, and a disabled one nothing', async () => {
    loopback.accounts.states.clear();
    const ensure = { method: 'POST' };
    expect(await outcome('/v1/users', both(), ensure)).toEqual([200, undefined]);
    loopback.accounts.states.set(me, { disabled: true });
    expect(await outcome('/v1/users', both(), ensure)).toEqual([403, 'account_disabled']);
  });

  it('comes before an unknown route and a wrong method under /v1, and before no others', async () => {
    loopback.accounts.states.clear();
    const nowhere: [string, string?][] = [
      ['/v1'],
      ['/v1/'],
      ['/v1/nowhere?x=1'],
      ['/%761/nowhere'],
      ['/v1/users/me', 'DELETE'],
      [`/v1/users/${me}/nothing`, 'POST'],
      ['/v1/users', 'OPTIONS'],
      ['/%761/users/me', 'PUT'],
      ['/v1#%zz'],
    ];
    for (const [path, method = 'GET'] of nowhere) {
      loopback.windows.used.clear();
      const refused = (headers: Record<string, string>) => outcome(path, headers, { method });
      expect([path, await refused({})]).toEqual([path, [401, 'partner_key_required']]);
      expect([path, await refused({ 'x-api-key': keyOf('bad') })]).toEqual([path, [401, 'partner_key_invalid']]);
      expect([path, await refused(key)]).toEqual([path, [401, undefined]]);
      expect([path, await refused(both('x'))]).toEqual([path, [401, undefined]]);
      const { status, reason, headers } = await call(path, both(), { method });
      const isKnown = ['DELETE', 'OPTIONS', 'PUT'].includes(method);
      expect([path, status, reason]).toEqual([path, isKnown ? 405 : 404, undefined]);
      expect(headers.get('allow')).toBe(isKnown ? (path === '/v1/users' ? 'POST' : 'GET, HEAD') : null);
      expect(headers.get('ratelimit-policy')).toBe('"key";q=12;w=60, "user";q=8;w=60');
      // The key's window counted the requests with a valid token, with a wrong one, and without one.
      expect(headers.get('ratelimit')).toBe('"key";r=9;t=60, "user";r=7;t=60');
    }
    loopback.windows.used.set(`key:id-of-${goodKey}`, 12);
    expect(await outcome('/v1/nowhere', both())).toEqual([429, 'rate_limited']);
    for (const path of ['/nowhere', '/v1nowhere', '/v2/users', '/', '/sandbox/v1/nowhere'])
      expect(await outcome(path, {})).toEqual([404, undefined]);
    expect(await outcome('/sandbox/v1/boom', {}, { method: 'POST' })).toEqual([405, undefined]);
  });

  it('says when to come back', async () => {
    for (let turn = 0; turn < 8; turn += 1) expect((await call('/v1/users/me', both())).status).toBe(200);
    const { status, headers, body } = await call('/v1/users/me', both());
    expect([status, headers.get('retry-after'), body['retryable']]).toEqual([429, '60', true]);
    expect(headers.get('ratelimit')).toBe('"key";r=3;t=60, "user";r=0;t=60');
  });

  it('counts a costly operation as ten requests of its user, and as one of its key', async () => {
    await loopback.stop();
    await begin('25');
    const weigh = () => call(`/v1/users/${me}/heavy`, both(), { method: 'POST' });
    expect((await weigh()).headers.get('ratelimit')).toBe('"key";r=11;t=60, "user";r=15;t=60');
    expect((await weigh()).headers.get('ratelimit')).toBe('"key";r=10;t=60, "user";r=5;t=60');
    const { status, headers } = await weigh();
    expect([status, headers.get('retry-after')]).toEqual([429, '60']);
    expect(headers.get('ratelimit')).toBe('"key";r=9;t=60, "user";r=5;t=60');
    expect((await call('/v1/users/me', both())).status).toBe(200);
  });

  it('knows its own origin and no other', async () => {
    for (const origin of ['null', 'http://127.0.0.1:1', 'http://localhost:8080']) {
      expect(await outcome('/v1/users/me', { ...both(), origin })).toEqual([403, 'origin_rejected']);
      expect(await outcome('/nowhere', { origin })).toEqual([403, 'origin_rejected']);
    }
    expect(await outcome('/v1/users/me', { ...both(), origin: 'http://127.0.0.1:8080' })).toEqual([200, undefined]);
    expect(await outcome('/healthz', { origin: 'https://evil.example' })).toEqual([200, undefined]);
  });

  it('answers 503 while the keys cannot be looked up, and finds a key that was minted a moment ago', async () => {
    loopback.keys.away = true;
    const { status, reason, body } = await call('/v1/users/me', both());
    expect([status, reason, body['retryable']]).toEqual([503, 'internal', true]);
    loopback.keys.away = false;
    loopback.keys.add(keyOf('n'));
    expect(await outcome('/v1/users/me', { ...both(), 'x-api-key': keyOf('n') })).toEqual([200, undefined]);
  });

  it('asks for many accounts at once', async () => {
    await call('/v1/users/me', both());
    loopback.windows.used.clear();
    const before = loopback.accounts.calls;
    await Promise.all(Array.from({ length: 8 }, () => call('/v1/users/me', both())));
    expect(loopback.accounts.calls - before).toBeLessThan(8);
  });
});

describe('user tokens', () => {
  const nowSeconds = () => Math.floor(Date.now() / 1000);

  it('are refused without a reason unless all about them is right', async () => {
    const { issuer } = loopback;
    const unsigned = Buffer.from('{"alg":"none"}').toString('base64url');
    const hs = await new SignJWT({ iss: issuer.issuer, aud: 'parley', sub: 'alice' })
      .setProtectedHeader({ alg: 'HS256', kid: 'first' })
      .setExpirationTime('1h')
      .sign(Buffer.from(await issuer.publicPem()));
    const bad: string[] = [
      'nonsense',
      'a.b.c',
      `${unsigned}.${token.split('.')[1]}.`,
      `${token.slice(0, -4)}AAAA`,
      hs,
      await issuer.token({ aud: 'someone-else' }),
      await issuer.token({ iss: 'https://evil.example' }),
      await issuer.token({ exp: undefined }),
      await issuer.token({ exp: 1e300 }),
      await issuer.token({ nbf: nowSeconds() + 60 }),
      await issuer.token({ iat: nowSeconds() + 60 }),
      await issuer.token({ sub: '' }),
      await issuer.token({ sub: 'x'.repeat(513) }),
      await issuer.token({ sub: 'a\0b' }),
      await issuer.token({ aud: 'someone-else', exp: nowSeconds() - 10 }),
      await issuer.token({}, { kid: 'unknown' }),
      await issuer.token({}, { typ: 'logout+jwt' }),
    ];
    for (const bearer of bad) {
      loopback.windows.used.clear();
      const { status, reason, headers } = await call('/v1/users/me', both(bearer));
      expect([bearer.slice(0, 40), status, reason, headers.get('www-authenticate')]).toEqual([
        bearer.slice(0, 40),
        401,
        undefined,
        'Bearer error="invalid_token"',
      ]);
    }
  });

  it('of many users at once are not mixed up', async () => {
    const { issuer } = loopback;
    const names = Array.from({ length: 12 }, (_, index) => `user-${index}`);
    const tokens = await Promise.all(names.map((sub) => issuer.token({ sub })));
    for (const sub of names) loopback.accounts.add(issuer.issuer, sub);
    const answers = await Promise.all(tokens.map((bearer) => call('/v1/users/me', both(bearer))));
    expect(answers.map(({ body }) => body['subject'])).toEqual(names);
  });

  it('expire while they are remembered', async () => {
    const short = await loopback.issuer.token({ exp: nowSeconds() + 2 });
    expect(await outcome('/v1/users/me', both(short))).toEqual([200, undefined]);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    expect(await outcome('/v1/users/me', both(short))).toEqual([401, 'credential_expired']);
  });

  it('cannot be verified while the issuer is away, which is no fault of theirs', async () => {
    await loopback.stop();
    const issuer = new LoopbackIssuer();
    issuer.away = true;
    await begin('8', issuer);
    const { status, reason, body } = await call('/v1/users/me', both());
    expect([status, reason, body['retryable']]).toEqual([503, 'internal', true]);
    issuer.away = false;
    // The keys are fetched again within a second.
    await until('the keys', async () => {
      loopback.windows.used.clear();
      return (await call('/v1/users/me', both())).status === 200 || null;
    });
  });

  it('of a rotated key are accepted, and unknown keys do not flood the issuer', async () => {
    expect(await outcome('/v1/users/me', both())).toEqual([200, undefined]);
    const before = loopback.issuer.requests;
    for (let turn = 0; turn < 6; turn += 1) {
      loopback.windows.used.clear();
      const unknown = await loopback.issuer.token({}, { kid: `unknown-${turn}` });
      expect(await outcome('/v1/users/me', both(unknown))).toEqual([401, undefined]);
    }
    expect(loopback.issuer.requests).toBe(before);
    await loopback.issuer.rotate('second', 'RS256');
    const rotated = await loopback.issuer.token();
    loopback.windows.used.clear();
    await new Promise((resolve) => setTimeout(resolve, 5_100));
    expect(await outcome('/v1/users/me', both(rotated))).toEqual([200, undefined]);
  });
});
