import { SetClock } from '@app/testing/http';
import { LoopbackIssuer } from '@app/testing/identity';
import { until } from '@app/testing/until';
import { IssuerKeys } from '../src/access/issuer-keys';
import { AccessTokens, type DemandedAudience } from '../src/access/access-tokens';
import { derivedIdOf } from '../src/access/derived-id';

let issuer: LoopbackIssuer;
let nowMs: number;
let troubles: unknown[];
let clock: SetClock;
let tokens: AccessTokens;

beforeEach(async () => {
  issuer = new LoopbackIssuer();
  await issuer.start();
  nowMs = 1_000_000;
  troubles = [];
  clock = new SetClock();
  // It does not advance, and must be ahead of the issue time of every token made during a test.
  clock.nowMs += 600_000;
  tokens = tokensOf([issuer]);
});
afterEach(() => issuer.stop());

function tokensOf(
  issuers: readonly LoopbackIssuer[],
  audience: Partial<DemandedAudience> = {},
  skewMs = 0,
): AccessTokens {
  const trusted = issuers.map((one) => {
    const onTrouble = (trouble: unknown) => troubles.push(trouble);
    return { keys: new IssuerKeys(one.issuer, { timeoutMs: 30_000, nowMs: () => nowMs, onTrouble }), clock, skewMs };
  });
  return new AccessTokens(trusted, { claim: 'aud', values: ['parley'], ...audience });
}

/** The verdict on a request with this token, cached or not. */
async function verdictOn(token: string): Promise<string> {
  return (tokens.cachedVerdict(token) ?? (await tokens.verify(token))).kind;
}

/** The cause in the operator's log for a refused token. */
async function causeOf(token: string): Promise<string> {
  const verdict = await tokens.verify(token);
  return verdict.kind === 'refused' ? verdict.cause : verdict.kind;
}

describe('a signing key', () => {
  it('that the issuer withdrew is not believed a minute later, not even of a token that was verified before', async () => {
    const token = await issuer.token();
    expect(await verdictOn(token)).toBe('accepted');
    await issuer.rotate('second');
    const next = await issuer.token();
    nowMs += 60_001;
    expect(await verdictOn(token)).toBe('refused');
    expect(await verdictOn(next)).toBe('accepted');
  });

  it('that the issuer withdrew goes with the next fetch, whatever made it', async () => {
    const [token, other] = [await issuer.token(), await issuer.token({ sub: 'bob' })];
    expect([await verdictOn(token), await verdictOn(other)]).toEqual(['accepted', 'accepted']);
    await issuer.rotate('second');
    nowMs += 5_001;
    // Its key is unknown, so the issuer is asked.
    expect(await verdictOn(await issuer.token())).toBe('accepted');
    expect([await verdictOn(token), await verdictOn(other)]).toEqual(['refused', 'refused']);
  });

  it('is asked for again behind the requests that go on with it, at most once in 30 s', async () => {
    const token = await issuer.token();
    await verdictOn(token);
    const first = issuer.requests;
    nowMs += 30_001;
    for (let turn = 0; turn < 20; turn += 1) expect(tokens.cachedVerdict(token)?.kind).toBe('accepted');
    await until('the keys', async () => issuer.requests === 2 * first || null);
    expect(await verdictOn(token)).toBe('accepted');
    expect(issuer.requests).toBe(2 * first);
  });

  it('goes on being believed while the issuer is away, and the trouble is told', async () => {
    const token = await issuer.token();
    await verdictOn(token);
    issuer.away = true;
    for (let minute = 0; minute < 5; minute += 1) {
      nowMs += 61_000;
      expect(await verdictOn(token)).toBe('accepted');
      expect(await verdictOn(await issuer.token({ sub: `user-${minute}` }))).toBe('accepted');
    }
    expect(troubles.length).toBeGreaterThan(0);
    await issuer.rotate('second');
    issuer.away = false;
    nowMs += 61_000;
    // The first requests may find the previous keys while new ones are fetched.
    await verdictOn(token);
    await until('the new keys', async () => (await verdictOn(token)) === 'refused' || null);
  });

  it('that nobody knows makes the issuer be asked once in 5 s at most', async () => {
    await verdictOn(await issuer.token());
    const before = issuer.requests;
    for (let turn = 0; turn < 10; turn += 1) {
      expect(await verdictOn(await issuer.token({}, { kid: `unknown-${turn}` }))).toBe('refused');
    }
    expect(issuer.requests).toBe(before);
    nowMs += 5_001;
    await Promise.all(
      Array.from({ length: 10 }, async (_, turn) => verdictOn(await issuer.token({}, { kid: `other-${turn}` }))),
    );
    expect(issuer.requests).toBe(before + 2);
  });
});

describe('an issuer that is away', () => {
  const minuteMs = 60_000;

  it('for ten minutes locks nobody out, and its new key works once it is back', async () => {
    const known = await issuer.token();
    await verdictOn(known);
    issuer.away = true;
    for (let minute = 0; minute < 10; minute += 1) {
      nowMs += minuteMs;
      // A returning user, and a new one.
      expect(await verdictOn(known)).toBe('accepted');
      expect(await verdictOn(await issuer.token({ sub: `user-${minute}` }))).toBe('accepted');
    }
    await issuer.rotate('second');
    const rotated = await issuer.token();
    expect(await causeOf(rotated)).toBe('its issuer has no key "second" for ES256');
    issuer.away = false;
    nowMs += 1_001;
    expect(await verdictOn(rotated)).toBe('accepted');
    expect(await verdictOn(known)).toBe('refused');
  });

  it('for a day is not believed any longer, and is not said to be there', async () => {
    const keys = new IssuerKeys(issuer.issuer, { timeoutMs: 30_000, nowMs: () => nowMs });
    expect([keys.cachedKeys(), await keys.state()]).toEqual([null, 'ok']);
    const token = await issuer.token();
    await verdictOn(token);
    issuer.away = true;
    nowMs += 24 * 60 * minuteMs - 1;
    expect(await verdictOn(token)).toBe('accepted');
    expect(await keys.state()).toBe('degraded');
    nowMs += minuteMs;
    await expect(verdictOn(token)).rejects.toThrow('the identity provider did not answer');
    expect(await keys.state()).toBe('away');
    issuer.away = false;
    nowMs += minuteMs;
    expect([await verdictOn(token), await keys.state()]).toEqual(['accepted', 'ok']);
  });
});

describe('the algorithm of a token', () => {
  const accepted = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
  it.each(accepted)('may be %s', async (alg) => {
    await issuer.rotate('other', alg);
    expect(await verdictOn(await issuer.token())).toBe('accepted');
    const [head = '', body = '', signature = ''] = (await issuer.token({ sub: 'mallory' })).split('.');
    const altered = Buffer.from(signature, 'base64url');
    altered.writeUInt8(altered.readUInt8(20) ^ 1, 20);
    expect(await causeOf(`${head}.${body}.${altered.toString('base64url')}`)).toBe('its signature is wrong');
  });

  it.each(['none', 'HS256', 'ES256K', 'RSA-OAEP', '', undefined, 1])('may not be %p', async (alg) => {
    expect(await causeOf(await issuer.token({}, { alg }))).toMatch(/^its alg is .*; accepted are RS256, /);
  });
});

describe('several issuers', () => {
  let other: LoopbackIssuer;
  beforeEach(async () => {
    other = new LoopbackIssuer('/');
    await other.start();
    tokens = tokensOf([issuer, other]);
  });
  afterEach(() => other.stop());

  it('are each believed in their own name, and the same subject is another identity', async () => {
    const verdicts = [await tokens.verify(await issuer.token()), await tokens.verify(await other.token())];
    const users = verdicts.map((verdict) => (verdict.kind === 'accepted' ? verdict.identity : verdict));
    expect(users).toMatchObject([{ issuer: issuer.issuer }, { issuer: `${other.origin}/` }]);
    expect(users).toMatchObject([{ subject: 'alice' }, { subject: 'alice' }]);
    expect(new Set(users.map((user) => ('issuer' in user ? derivedIdOf(user) : null))).size).toBe(2);
    expect(await causeOf(await other.token({ iss: issuer.issuer }))).toBe('its signature is wrong');
    expect(await causeOf(await other.token({ iss: other.origin }))).toBe(
      `its iss is "${other.origin}", which OIDC_ISSUER does not name`,
    );
  });

  it('do not wait for each other', async () => {
    other.away = true;
    expect(await verdictOn(await issuer.token())).toBe('accepted');
    await expect(verdictOn(await other.token())).rejects.toThrow('the identity provider did not answer');
    expect(await verdictOn(await issuer.token({ sub: 'bob' }))).toBe('accepted');
  });
});

describe('the claims of a token', () => {
  it.each(['aud', 'client_id', 'azp'])('name one of the audiences in %s', async (claim) => {
    tokens = tokensOf([issuer], { claim, values: ['one', 'two'] });
    const naming = (value: unknown) => issuer.token({ aud: undefined, [claim]: value });
    expect(await verdictOn(await naming('two'))).toBe('accepted');
    expect(await verdictOn(await naming(['zero', 'one']))).toBe('accepted');
    for (const value of ['three', [], ['three'], { one: true }, null, undefined]) {
      const cause = await causeOf(await naming(value));
      expect(cause).toMatch(new RegExp(`^its ${claim} is .*, which OIDC_AUDIENCE does not name$`));
    }
  });

  it('hold a little before they begin and after they have ended, by clocks that are off', async () => {
    tokens = tokensOf([issuer], {}, 30_000);
    const now = Math.floor(clock.nowMs / 1000);
    clock.nowMs = now * 1000;
    expect(await verdictOn(await issuer.token({ exp: now - 29 }))).toBe('accepted');
    expect(await verdictOn(await issuer.token({ exp: now - 30 }))).toBe('expired');
    expect(await verdictOn(await issuer.token({ iat: now + 30, nbf: now + 30 }))).toBe('accepted');
    expect(await causeOf(await issuer.token({ nbf: now + 31 }))).toBe(`its nbf is ${now + 31}, which is not yet`);
    const short = await issuer.token({ exp: now + 1 });
    expect(await verdictOn(short)).toBe('accepted');
    clock.nowMs += 31_000;
    expect(tokens.cachedVerdict(short)).toEqual({ kind: 'expired' });
  });

  it('are told to the operator in part only', async () => {
    expect((await causeOf(await issuer.token({ iss: 'x'.repeat(5_000) }))).length).toBeLessThan(300);
    for (const text of ['', 'nonsense', 'a.b.c', '..', `${await issuer.token()}.x`])
      expect(await causeOf(text)).toBe('it is no signed JSON Web Token');
  });
});

describe('the header of a token', () => {
  it.each([undefined, 'JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt'])('may have the type %p', async (typ) => {
    expect(await verdictOn(await issuer.token({}, { typ }))).toBe('accepted');
  });

  it.each(['logout+jwt', 'id_token+jwt', 'dpop+jwt', 'application/jwt', 'JOSE', '', 'at+jwt ', null, 1, ['JWT']])(
    'may not have the type %p',
    async (typ) => expect(await verdictOn(await issuer.token({}, { typ }))).toBe('refused'),
  );

  it('may name nothing that it takes an extension to understand', async () => {
    expect(await verdictOn(await issuer.token({}, { crit: ['exp'], exp: 1 }))).toBe('refused');
  });
});
