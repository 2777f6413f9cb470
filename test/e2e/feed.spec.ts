import { randomBytes } from 'node:crypto';
/**
 * Access to the feed: which credentials may read it, from which cursor, and how much. Covers every operation under `/feed/v1` with every
 * kind of credential.
 */
import fc from 'fast-check';
import type { Contract } from '@app/http';
import { requestJson, type TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { byOperator, conversationOf, eventCount, expectProblem, partOf, quiet, say } from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { CommandBus } from '@nestjs/cqrs';
import { DisableUser } from '@app/users';
import { forger, type Forge } from './forger';
import { feedContracts, missingIn, operations, pathOf, routesOf } from './operations';
import { thingsOf } from './things';

const rounds = Number(process.env['FUZZ_ROUNDS'] ?? 40);
const withinMs = 120_000;

interface Minted {
  readonly keyId: string;
  readonly key: string;
  readonly feed: boolean;
}
interface Page {
  readonly data: readonly { readonly id: string; readonly type: string }[];
  readonly nextCursor: string | null;
  readonly endCursor: string;
}

let deployment: Deployment;
let elsewhere: Deployment;
let user: TestClient;
let disabled: TestClient;
let forge: Forge;
let reader: Minted;
let other: Minted;
let revoked: Minted;

beforeAll(async () => {
  const env = { LOG_LEVEL: 'error' };
  [deployment, elsewhere] = [
    await startDeployment({ mode: 'in-process', env }),
    await startDeployment({
      mode: 'in-process',
      env: { ...env, PARLEY_SECRET_KEY: randomBytes(32).toString('base64') },
    }),
  ];
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
  [user, disabled] = [await deployment.newUser(), await deployment.newUser()];
  forge = await forger(deployment, user);
  const conversation = await conversationOf(user);
  for (let run = 0; run < 3; run += 1) await say(user, conversation);
  await partOf(deployment, CommandBus).execute(new DisableUser(byOperator(disabled)));
  [reader, other, revoked] = [await mint(true), await mint(undefined), await mint(true)];
  await revoke(revoked);
  await quiet(deployment);
}, withinMs);
afterAll(async () => {
  await elsewhere.stop();
  await deployment.stop();
});

const bearer = async (...forgery: Parameters<Forge>) => ({ authorization: `Bearer ${await forge(...forgery)}` });
const keysScope = () => bearer({ aud: 'parley-operator', sub: 'ada', scope: 'keys' });
const key = ({ key: value } = reader) => ({ 'x-api-key': value });

async function byKeys<Body>(method: string, path: string, body?: object) {
  return requestJson<Body>(method, `${user.baseUrl}/operator/v1/partner-keys${path}`, body, await keysScope());
}

async function mint(feed: boolean | undefined): Promise<Minted> {
  const asked = { label: 'a partner', reason: 'a test', ...(feed !== undefined && { feed }) };
  const { status, body } = await byKeys<Minted>('POST', '', asked);
  expect([status, body.feed]).toEqual([201, feed ?? false]);
  return body;
}

const revoke = ({ keyId }: Minted) => byKeys('POST', `/${keyId}/revoke`, { reason: 'a test' });

/** Sends one request. For an event stream it reads no body. */
async function ask(contract: Contract, headers: Record<string, string>, query = '', method: string = contract.method) {
  const abort = new AbortController();
  const response = await fetch(user.baseUrl + contract.path + query, { method, headers, signal: abort.signal });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const text = isStream ? '' : await response.text();
  abort.abort();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : (JSON.parse(text) as object) };
}

const list = async (query: string, headers = key()) =>
  (await requestJson<Page>('GET', `${user.baseUrl}/feed/v1/events${query}`, undefined, headers)).body;

it('every route has its cells', () => {
  const planned = feedContracts.map(({ operation, method, path }) => `${operation} ${method} ${path}`);
  expect(routesOf(deployment, 'feed').sort()).toEqual(planned.sort());
  expect(planned.length).toBeGreaterThan(1);
  expect(feedContracts.flatMap((contract) => missingIn(contract))).toEqual([]);
});

it(
  'a key that an operator mints with `feed: true` reads it, until it is revoked',
  async () => {
    const minted = await mint(true);
    const { body } = await byKeys<{ data: readonly Minted[] }>('GET', '?limit=100');
    const rights = new Map(body.data.map(({ keyId, feed }) => [keyId, feed]));
    expect([rights.get(minted.keyId), rights.get(other.keyId)]).toEqual([true, false]);
    const read = await list('', key(minted));
    expect(read.data.filter(({ type }) => type === 'run.ended')).toHaveLength(3);
    // It is a partner's key like any other, too.
    expect(
      (await requestJson('GET', `${user.baseUrl}/v1/users/me`, undefined, { ...user.headers, ...key(minted) })).status,
    ).toBe(200);
    expect((await revoke(minted)).status).toBe(200);
    for (const contract of feedContracts) {
      await until('the end of the key', async () => ((await ask(contract, key(minted))).status === 401 ? true : null));
      expectProblem(await ask(contract, key(minted)), 'partner_key_invalid');
    }
    // Another key continues from its cursor.
    expect(await list(`?cursor=${read.endCursor}`)).toMatchObject({ data: [], nextCursor: null });
  },
  withinMs,
);

describe.each(feedContracts.map((contract) => [contract.operation, contract] as const))('%s', (_, contract) => {
  const cell = (headers: Record<string, string>, query?: string, method?: string) =>
    ask(contract, headers, query, method);
  const isStream = contract.operation === 'feed.stream';

  it('lets in keys that were minted for it, and nobody else, and records nothing', async () => {
    const before = await eventCount(deployment);
    expect((await cell(key())).status).toBe(200);
    for (const origin of ['https://evil.example', 'null'])
      expectProblem(await cell({ ...key(), origin }), 'origin_rejected');
    const keyless = [{}, user.headers, await keysScope()].map((headers) => {
      const { 'x-api-key': _key, ...rest } = headers as Record<string, string>; // reason: none of them has another form
      return rest;
    });
    for (const headers of keyless) expectProblem(await cell(headers), 'partner_key_required');
    for (const wrong of ['nonsense', `pk_${'A'.repeat(43)}`, revoked.key, elsewhere.partnerKey])
      expectProblem(await cell({ 'x-api-key': wrong }), 'partner_key_invalid');
    for (const headers of [{}, user.headers, await keysScope()])
      expectProblem(await cell({ ...headers, ...key(other) }), 'permission_required');
    expect(await eventCount(deployment)).toBe(before);
  });

  it('looks at no user token, good or bad', async () => {
    const yesterday = Math.floor(Date.now() / 1000) - 86_400;
    const tokens = [
      { authorization: `Bearer ${user.token}` },
      { authorization: `Bearer ${disabled.token}` },
      { authorization: 'Bearer a.b.c' },
      { authorization: 'Basic eDp5' },
      await bearer({ exp: yesterday, iat: yesterday - 60 }),
      await bearer({}, 'altered'),
      await keysScope(),
    ];
    for (const token of tokens) {
      const answer = await cell({ ...key(), ...token });
      expect([answer.status, answer.headers.get('ratelimit-policy')?.startsWith('"key"')]).toEqual([200, true]);
    }
  });

  it('checks in one order: each request mends what was refused before', async () => {
    const bad = '?cursor=x&what=1';
    expectProblem(await cell({ origin: 'null' }, bad), 'origin_rejected');
    expectProblem(await cell({}, bad), 'partner_key_required');
    expectProblem(await cell({ 'x-api-key': 'x' }, bad), 'partner_key_invalid');
    expectProblem(await cell(key(other), bad), 'permission_required');
    expectProblem(await cell(key(), bad), 'invalid_input', { at: ['/what'] });
    expectProblem(await cell(key(), '?cursor=x'), 'invalid_cursor');
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expectProblem(await cell(key(), '', method), 'method_not_allowed');
  });

  it(
    'takes no cursor but the feed’s own, of this very deployment',
    async () => {
      const own = (await list('?limit=1')).endCursor;
      const foreign = await foreignCursors();
      expect(foreign.length).toBeGreaterThan(5);
      const altered = [...own].map((letter, at) => own.slice(0, at) + (letter === 'A' ? 'B' : 'A') + own.slice(at + 1));
      for (const cursor of [...foreign, ...altered.slice(0, -1), own.slice(1), `${own}A`, 'now ', 'NOW', '0', '-1']) {
        expectProblem(await cell(key(), `?cursor=${encodeURIComponent(cursor)}`), 'invalid_cursor');
        if (isStream)
          expectProblem(
            await cell({ ...key(), 'last-event-id': cursor.trim() === 'now' ? 'n' : cursor }),
            'invalid_cursor',
          );
      }
      for (const query of [`?cursor=${own}&cursor=${own}`]) expectProblem(await cell(key(), query), 'invalid_input');
      for (const cursor of [own, 'now']) expect((await cell(key(), `?cursor=${cursor}`)).status).toBe(200);
    },
    withinMs,
  );

  it(
    `is not confused by any text in a cursor (${rounds} rounds)`,
    async () => {
      const text = fc.oneof(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
        fc.base64String({ minLength: 1, maxLength: 400 }),
        fc.constantFrom('\0', 'a'.repeat(257), 'A'.repeat(8_000), '%', '"', 'null'),
      );
      await fc.assert(
        fc.asyncProperty(text, async (cursor) => {
          const answer = await cell(key(), `?cursor=${encodeURIComponent(cursor)}`);
          expect([answer.status, Reflect.get(answer.body, 'retryable')]).toEqual([400, false]);
        }),
        { numRuns: rounds, endOnFailure: true },
      );
    },
    withinMs,
  );

  it('takes a limit from 1 to 500, where there is one', async () => {
    for (const limit of ['0', '501', '-1', '1.5', 'x', '', '1e2', '99999999999999999999', '0x10', ' 1'])
      expectProblem(await cell(key(), `?limit=${encodeURIComponent(limit)}`), 'invalid_input', { at: ['/limit'] });
    for (const limit of [1, 500]) {
      if (isStream) expectProblem(await cell(key(), `?limit=${limit}`), 'invalid_input', { at: ['/limit'] });
      else expect((await list(`?limit=${limit}`)).data.length).toBeLessThanOrEqual(limit);
    }
  });
});

it('Last-Event-ID goes before the cursor, whatever that is', async () => {
  const stream = feedContracts.find(({ operation }) => operation === 'feed.stream');
  if (stream === undefined) throw new Error('the operation is gone');
  const own = (await list('?limit=1')).endCursor;
  expect((await ask(stream, { ...key(), 'last-event-id': own }, '?cursor=x')).status).toBe(200);
  expectProblem(await ask(stream, { ...key(), 'last-event-id': 'x' }, `?cursor=${own}`), 'invalid_cursor');
});

/** A valid cursor of every other list, of partners and operators, and one of another deployment's feed. */
async function foreignCursors(): Promise<string[]> {
  const ids = await thingsOf(user);
  await conversationOf(user);
  const lists = operations.filter(({ method, query }) => method === 'GET' && query?.['limit'] !== undefined);
  const asked = lists.map((one) =>
    requestJson<Partial<Page>>('GET', `${user.baseUrl}${pathOf(one, ids, { limit: '1' })}`, undefined, user.headers),
  );
  const pages = (await Promise.all(asked)).map(({ body }) => body);
  const keys = await byKeys<Page>('GET', '?limit=1');
  const theirs = await requestJson<Page>('GET', `${elsewhere.baseUrls[0]}/feed/v1/events?cursor=now`, undefined, {
    'x-api-key': elsewhere.partnerKey,
  });
  expect([keys.body.nextCursor, theirs.body.endCursor]).toEqual([expect.any(String), expect.any(String)]);
  return [...pages, keys.body, theirs.body].flatMap(({ nextCursor, endCursor }) =>
    [nextCursor ?? [], endCursor ?? []].flat(),
  );
}
