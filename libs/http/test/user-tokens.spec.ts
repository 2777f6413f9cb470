import type { IncomingMessage } from 'node:http';
import { until } from '../../../test/support/until';
import { LoopbackIssuer, SetClock } from '../../../test/http/loopback-app';
import { IssuerKeys } from '../src/issuer-keys';
import { UserTokens } from '../src/user-tokens';

let issuer: LoopbackIssuer;
let nowMs: number;
let troubles: unknown[];
let tokens: UserTokens;

beforeEach(async () => {
  issuer = new LoopbackIssuer();
  await issuer.start();
  nowMs = 1_000_000;
  troubles = [];
  const keys = new IssuerKeys(issuer.issuer, { nowMs: () => nowMs, onTrouble: (trouble) => troubles.push(trouble) });
  tokens = new UserTokens({ issuer: issuer.issuer, audience: 'parley', clock: new SetClock() }, keys);
});
afterEach(() => issuer.stop());

/** What a request with this token is answered, remembered or not. */
async function verdictOn(token: string): Promise<string> {
  // Reason for the assertion: only the header is looked at.
  const request = { headers: { authorization: `Bearer ${token}` } } as IncomingMessage;
  const verdict = tokens.remembered(token) ?? (await tokens.verify(token, request));
  return verdict.kind;
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
    for (let turn = 0; turn < 20; turn += 1) expect(tokens.remembered(token)?.kind).toBe('accepted');
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
    // The first of them may find the keys of before while they are asked for.
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
