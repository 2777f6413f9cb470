/** Access to the operator API: every operation, with every scope and every kind of credential. */
import { EventStore } from '@app/event-store';
import { operatorScopes, type Contract } from '@app/http';
import { isJsonObject } from '@app/kernel';
import { requestJson, type TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { expectProblem, missingId, partOf, quiet, sql } from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { forger, type Forge } from './forger';
import { missingIn, operatorContracts, queryOf, routesOf } from './operations';
import { freshThings, operatorThings, type OperatorThings } from './operator-things';

let deployment: Deployment;
let user: TestClient;
let things: OperatorThings;
let forge: Forge;

beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'error' } });
  user = await deployment.newUser();
  forge = await forger(deployment, user);
  things = await operatorThings(deployment);
  await quiet(deployment);
});
afterAll(() => deployment.stop());

interface Request {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly path?: string;
}

const aud = 'parley-operator';
const yesterday = Math.floor(Date.now() / 1000) - 86_400;
const bearer = async (...forgery: Parameters<Forge>) => ({ authorization: `Bearer ${await forge(...forgery)}` });
/** A valid token with these scopes. */
const withScope = (scope: unknown) => bearer({ aud, sub: 'ada', scope });

function call(contract: Contract, { headers = {}, body = bodyOf(contract), path = pathOf(contract) }: Request) {
  return requestJson(contract.method, user.baseUrl + path, body, headers);
}

function pathOf(contract: Contract, more: Readonly<Record<string, string>> = {}): string {
  const named: Readonly<Record<string, string>> = { ...things, ...more };
  const path = contract.path.replace(/[:*](\w+)/g, (_, name: string) => encodeURIComponent(named[name] ?? name));
  // The run of the path is identified by its key, so the `user` parameter is left out; other examples are replaced by things that exist.
  const asked = Object.entries(queryOf(contract)).filter(
    ([name]) => contract.operation !== 'runs.show' || name !== 'user',
  );
  const query = new URLSearchParams(asked.map(([name, value]) => [name, named[name] ?? value])).toString();
  return query === '' ? path : `${path}?${query}`;
}

function bodyOf({ examples }: Contract): object | undefined {
  return isJsonObject(examples?.body) ? examples.body : undefined;
}

/** The number of entries in the operators' log. */
async function logLength(): Promise<number> {
  return (await partOf(deployment, EventStore).lastRevision('operator-log')) + 1;
}

/** The number of events, without those of a live run, which proceeds by itself, and without checkpoints, which are made in between. */
async function recorded(): Promise<number> {
  const [row] = await sql<{ count: number }>(
    deployment,
    `SELECT count(*)::integer AS count FROM event_store.events WHERE stream NOT SIMILAR TO '(conversation-|budget-|audit-)%'`,
  );
  return row?.count ?? 0;
}

/** Reads of one user's or one partner's things that are logged although their scope is neither `users` nor `audit`. */
const loggedToo: readonly string[] = ['automations.show', 'keys.used'];
/** Reads that have a reason, and therefore a body. */
const readsWithReason: readonly string[] = ['users.export'];

/** All scopes but this one; a token with them is refused. */
const scopesBut = (scope: string | undefined) => operatorScopes.filter((one) => one !== scope);

it('every route has its cells', () => {
  const planned = operatorContracts.map(({ operation, method, path }) => `${operation} ${method} ${path}`);
  expect(routesOf(deployment, 'operator').sort()).toEqual(planned.sort());
  expect(planned.length).toBeGreaterThan(0);
});

it.each(operatorContracts.map((contract) => [contract.operation, contract] as const))(
  '%s has an example of all that its cells need',
  (_, contract) => expect(missingIn(contract, Object.keys(things))).toEqual([]),
);

it('has no route besides, and says so to operators alone', async () => {
  const unknown = async (path: string, headers: Record<string, string>, method = 'GET') =>
    requestJson(method, user.baseUrl + path, undefined, headers);
  const operator = await withScope('deployment');
  for (const path of ['/operator/v1', '/operator/v1/', '/operator/v1/nothing', '/%6fperator/v1/nothing']) {
    expectProblem(await unknown(path, {}), 'unauthenticated');
    expectProblem(await unknown(path, user.headers), 'unauthenticated');
    expectProblem(await unknown(path, operator), 'not_found');
  }
  const wrong = await unknown('/operator/v1/log', operator, 'DELETE');
  expectProblem(wrong, 'method_not_allowed');
  expect(wrong.headers.get('allow')).toBe('GET, HEAD');
  expectProblem(await unknown('/operator', {}), 'not_found');
  const entries = '/transparency/tile/entries/000';
  expectProblem(await unknown(entries, {}, 'DELETE'), 'unauthenticated');
  expectProblem(await unknown(entries, operator, 'DELETE'), 'method_not_allowed');
});

it('shows operators in a document of its own', async () => {
  const partners = await requestJson<{ paths: object }>('GET', `${user.baseUrl}/openapi.json`);
  const operators = await requestJson<{ paths: object }>('GET', `${user.baseUrl}/operator/openapi.json`);
  const isForOperators = (path: string) =>
    path.startsWith('/operator/') || path.startsWith('/transparency/tile/entries/');
  expect(Object.keys(partners.body.paths).filter(isForOperators)).toEqual([]);
  expect(Object.keys(operators.body.paths).filter((path) => !isForOperators(path))).toEqual([]);
  expect(Object.keys(operators.body.paths).length).toBeGreaterThan(1);
});

it('checks come in one order: each request mends what was refused before', async () => {
  const contract = operatorContracts.find(({ operation }) => operation === 'controls.pause');
  if (contract === undefined) throw new Error('the operation is gone');
  const long = { reason: 'x'.repeat(300_000) };
  const path = '/operator/v1/deployment/controls/nothing/pause';
  const evil = { origin: 'https://evil.example' };
  const operator = await withScope('deployment');
  const unscoped = await withScope('keys');
  expectProblem(await call(contract, { path, body: long, headers: evil }), 'origin_rejected');
  expectProblem(await call(contract, { path, body: long }), 'unauthenticated');
  expectProblem(await call(contract, { path, body: long, headers: unscoped }), 'permission_required');
  expectProblem(await call(contract, { path, body: long, headers: operator }), 'too_large');
  expectProblem(await call(contract, { path, body: { reason: '' }, headers: operator }), 'invalid_input', {
    at: ['/reason'],
  });
  expectProblem(await call(contract, { path, body: { reason: 'why' }, headers: operator }), 'invalid_input', {
    at: ['/control'],
  });
});

describe.each(operatorContracts.map((contract) => [contract.operation, contract] as const))('%s', (_, contract) => {
  const { method, scope, status } = contract;
  const changes = method !== 'GET' && !readsWithReason.includes(contract.operation);

  it('serves operators with its scope, among others or alone', async () => {
    const before = await logLength();
    for (const scopes of [scope, operatorScopes.join(' ')]) {
      const path = pathOf(contract, await freshThings(deployment, contract.operation));
      const answer = await call(contract, { path, headers: await withScope(scopes) });
      expect([answer.status, answer.body]).toEqual([status, answer.body]);
      expect(answer.headers.get('ratelimit-policy')).toMatch(/^"operator";q=\d+;w=60$/);
    }
    // Each change is logged twice, when requested and when completed; each read of people's data once.
    const isLogged = scope === 'users' || scope === 'audit' || loggedToo.includes(contract.operation);
    const looks = isLogged ? 2 : 0;
    expect((await logLength()) - before).toBe(changes ? 4 : looks);
    // A worker goes on with an erasure after its call was answered.
    if (contract.operation === 'users.erase')
      await until('the end of the erasures', async () => {
        const open = await sql(deployment, 'SELECT 1 FROM erasures WHERE is_open');
        return open.length === 0 ? true : null;
      });
    if (changes) await quiet(deployment);
  });

  it('lets nobody in without good credentials, and records nothing', async () => {
    const before = await recorded();
    const refused = async (problem: Parameters<typeof expectProblem>[1], headers: Record<string, string>) => {
      const answer = await call(contract, { headers });
      expectProblem(answer, problem);
      return answer.headers.get('www-authenticate');
    };
    const key = { 'x-api-key': user.partnerKey };
    const good = await withScope(scope);
    await refused('origin_rejected', { ...good, origin: 'https://evil.example' });
    await refused('origin_rejected', { ...good, origin: 'null' });
    const missing = [{}, key, { authorization: user.token }, { ...key, authorization: 'Bearer ' }];
    for (const headers of missing) expect(await refused('unauthenticated', headers)).toBe('Bearer');
    const ofUser = await forge({ scope });
    const tokens = [
      user.headers,
      { authorization: user.headers['authorization'] ?? '' },
      { authorization: `Bearer ${ofUser}` },
      { authorization: 'Bearer a.b.c' },
      await bearer({ aud: 'someone-else', scope }),
      await bearer({ aud, scope, iss: 'https://evil.example' }),
      await bearer({ aud, scope, exp: undefined }),
      await bearer({ aud, scope, sub: undefined }),
      await bearer({ aud, scope, nbf: Math.floor(Date.now() / 1000) + 600 }),
      await bearer({ aud, scope }, 'none'),
      await bearer({ aud, scope }, 'HS256'),
      await bearer({ aud, scope }, 'unknown kid'),
      await bearer({ aud, scope }, 'altered'),
    ];
    for (const headers of tokens)
      expect(await refused('unauthenticated', headers)).toBe('Bearer error="invalid_token"');
    const expired = await bearer({ aud, scope, exp: yesterday, iat: yesterday - 60 });
    expect(await refused('credential_expired', expired)).toBe('Bearer error="invalid_token"');
    expect(await recorded()).toBe(before);
  });

  it('asks for its scope and for no other', async () => {
    const before = await recorded();
    const others = scopesBut(scope);
    const near = [`${scope}s`, `x${scope}`, String(scope).toUpperCase(), '', [scope], undefined];
    for (const scopes of [...others, others.join(' '), ...near]) {
      expectProblem(await call(contract, { headers: await withScope(scopes) }), 'permission_required');
    }
    expect(await recorded()).toBe(before);
  });

  if (method !== 'GET') {
    it('takes no change without a reason', async () => {
      const before = await recorded();
      const headers = await withScope(scope);
      const whole = bodyOf(contract) ?? {};
      for (const reason of [undefined, '', 'x'.repeat(501), 7, 'nul \0'])
        expectProblem(await call(contract, { headers, body: { ...whole, reason } }), 'invalid_input', {
          at: ['/reason'],
        });
      expectProblem(await call(contract, { headers, body: { ...whole, more: 1 } }), 'invalid_input', { at: ['/more'] });
      expect(await recorded()).toBe(before);
    });
  }

  for (const [, name = ''] of contract.path.matchAll(/[:*](\w+)/g)) {
    it(`answers alike for a ${name} that is missing or malformed, and makes up none`, async () => {
      const before = (await recorded()) - (await logLength());
      const headers = await withScope(scope);
      const missing = name === 'control' ? [] : [missingId, missingId.toUpperCase()];
      const malformed = ['x', `${missingId}0`, ' ', 'é', '0'.repeat(300), 'null'];
      for (const id of [...missing, ...malformed]) {
        const answer = await call(contract, { path: pathOf(contract, { [name]: id }), headers });
        // The answer for an unknown control lists the valid ones.
        if (name === 'control') expectProblem(answer, 'invalid_input', { at: ['/control'] });
        else expectProblem(answer, 'not_found');
      }
      expect((await recorded()) - (await logLength())).toBe(before);
    });
  }
});
