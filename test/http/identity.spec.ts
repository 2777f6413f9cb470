import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { UnfitIssuer } from '@app/http';
import { pino } from 'pino';
import { SilentSocket } from '@app/testing/proxies';
import { until } from '@app/testing/until';
import { issuedTokens, type IssuedToken, LoopbackIssuer } from '@app/testing/identity';
import { goodKey, type Loopback, startLoopback } from '@app/testing/http';

let loopback: Loopback | null = null;
let lines: Record<string, unknown>[];
const undo: (() => Promise<void>)[] = [];
beforeEach(() => (lines = []));
afterEach(async () => {
  await loopback?.stop();
  loopback = null;
  for (const step of undo.splice(0)) await step();
});

/** Starts a service whose log lines are kept. */
async function start(issuer: LoopbackIssuer, env: Record<string, string> = {}): Promise<Loopback> {
  const kept = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      for (const line of chunk.toString().trim().split('\n')) lines.push(JSON.parse(line) as Record<string, unknown>); // reason: pino writes objects
      done();
    },
  });
  loopback = await startLoopback(env, pino({ level: 'info' }, kept), issuer);
  return loopback;
}

async function me(token: string | null) {
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
  const headers = { 'x-api-key': goodKey, ...authorization };
  const response = await fetch(`${loopback?.url}/v1/users/me`, { headers });
  const body = (await response.json()) as Record<string, unknown>; // reason: answers are objects
  return { status: response.status, reason: body['reason'], body, challenge: response.headers.get('www-authenticate') };
}

const causes = () => lines.flatMap(({ cause }) => (cause === undefined ? [] : [cause]));

describe('a 401', () => {
  it('says that a token is no good, and only the log says why', async () => {
    const issuer = new LoopbackIssuer();
    await start(issuer);
    const now = Math.floor(Date.now() / 1000);
    const bad = 'Bearer error="invalid_token"';
    expect(await me(null)).toMatchObject({ status: 401, challenge: 'Bearer' });
    expect(causes()).toEqual([]);
    const refused = await me(await issuer.token({ aud: 'someone-else' }));
    expect(refused).toMatchObject({ status: 401, reason: undefined, challenge: bad });
    expect(JSON.stringify(refused.body)).not.toMatch(/aud|someone/);
    expect(causes()).toEqual(['its aud is "someone-else", which OIDC_AUDIENCE does not name']);
    expect(lines.find(({ cause }) => cause !== undefined)).toMatchObject({
      msg: 'a user token was refused',
      requestId: refused.body['requestId'],
    });
    const expired = await me(await issuer.token({ exp: now - 60 }));
    expect(expired).toMatchObject({ status: 401, reason: 'credential_expired', challenge: bad });
  });
});

/** The rows of the table in docs/production.md: a provider, and the variables that it needs. */
const documented = readFileSync(join(__dirname, '..', '..', 'docs', 'production.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('`OIDC_ISSUER='))
  .map((line) => {
    const [, provider = '', settings = ''] = line.split('|').map((cell) => cell.trim());
    const pairs = [...settings.matchAll(/`([A-Z_]+)=([^`]*)`/g)].map(([, name = '', value = '']) => [name, value]);
    return { provider, env: Object.fromEntries(pairs) as Record<string, string> }; // reason: pairs of texts
  });

describe('docs/production.md, "Identity providers"', () => {
  it('has a row for each provider whose tokens are known, and no other', () => {
    const known = new Set(issuedTokens.map(({ provider }) => provider));
    expect(documented.map(({ provider }) => provider).sort()).toEqual([...known].sort());
  });

  const cases = issuedTokens.map(
    (issued) => [`${issued.provider}, ${issued.header['typ'] ?? 'no typ'}`, issued] as const,
  );

  /** The provider's issuer on loopback, with its real path and the settings of its row. */
  async function startAs({ provider, otherKeys = [] }: IssuedToken) {
    const env = documented.find((row) => row.provider === provider)?.env ?? {};
    const { pathname } = new URL(env['OIDC_ISSUER'] ?? '');
    // URL adds a slash to an origin without a path.
    const path = pathname === '/' && !env['OIDC_ISSUER']?.endsWith('/') ? '' : pathname;
    const jwks = env['OIDC_JWKS_URI'];
    const issuer = new LoopbackIssuer(path, jwks === undefined ? undefined : new URL(jwks).pathname);
    issuer.otherKeys = otherKeys;
    await issuer.start();
    undo.push(() => issuer.stop());
    await issuer.rotate('the-one', 'RS256');
    const here = { OIDC_ISSUER: issuer.issuer, ...(jwks !== undefined && { OIDC_JWKS_URI: issuer.jwksUri }) };
    const app = await start(new LoopbackIssuer(), { ...env, ...here });
    return { issuer, app, audience: env['OIDC_AUDIENCE'] ?? '' };
  }

  it.each(cases)('lets in whom %s issued a token', async (_, issued) => {
    const { issuer, app, audience } = await startAs(issued);
    const now = Math.floor(Date.now() / 1000);
    const header = { ...issued.header, kid: 'the-one' };
    const claims = issued.claims(issuer.issuer, audience, now);
    app.accounts.add(issuer.issuer, issued.subject);
    const answer = await me(issuer.signed(header, claims));
    expect(answer).toMatchObject({ status: 200, body: { subject: issued.subject } });
    for (const other of issued.others ?? []) {
      expect(await me(issuer.signed(header, { ...claims, ...other.claims }))).toMatchObject({ status: 401 });
      expect(causes().at(-1)).toMatch(other.cause);
    }
  });
});

describe('at start', () => {
  it('an issuer whose discovery document is that of another stops it, in one sentence', async () => {
    const issuer = new LoopbackIssuer();
    issuer.claimsToBe = 'https://id.example/';
    undo.push(() => issuer.stop());
    const failure = start(issuer);
    await expect(failure).rejects.toThrow(UnfitIssuer);
    await expect(failure).rejects.toThrow(
      `OIDC_ISSUER names ${issuer.issuer}, and the discovery document there is that of "https://id.example/": name the issuer exactly as its tokens do`,
    );
  });

  it('an issuer that is away, or silent, does not: readiness names it', async () => {
    const issuer = new LoopbackIssuer();
    issuer.away = true;
    const silent = await SilentSocket.start();
    undo.push(() => silent.close());
    const app = await start(issuer, { OIDC_TIMEOUT_MS: '2000' });
    const ready = async () => {
      const response = await fetch(`${loopback?.url}/readyz`);
      return [response.status, await response.json()];
    };
    expect(await ready()).toEqual([503, { status: 'away', checks: { 'identity provider': 'away' } }]);
    expect(lines.map(({ msg }) => msg)).toContain("the issuer's keys could not be had");
    issuer.away = false;
    await until('readiness', async () => ((await ready())[0] === 200 ? true : null));
    await app.stop();
    loopback = await startLoopback({ OIDC_ISSUER: silent.url, OIDC_TIMEOUT_MS: '300' });
    expect(await ready()).toMatchObject([503, { checks: { 'identity provider': 'away' } }]);
  });

  it('several issuers of which one is away are degraded', async () => {
    const [issuer, other] = [new LoopbackIssuer(), new LoopbackIssuer('')];
    await issuer.start();
    undo.push(() => issuer.stop());
    await other.start();
    undo.push(() => other.stop());
    other.away = true;
    const app = await start(new LoopbackIssuer(), { OIDC_ISSUER: `${issuer.issuer},${other.issuer}` });
    const ready = await fetch(`${app.url}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([200, { checks: { 'identity provider': 'degraded' } }]);
  });
});
