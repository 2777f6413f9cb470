import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { ConfigurationError } from '@app/runtime';
import { readConfiguration } from '@app/settings';
import { conversationOf } from '@app/testing/journeys';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { TestProcess } from '@app/testing/processes';

/*
 * `/v1` announces its end on every answer once it is deprecated (specification, "Versioning", rule 6): `Deprecation` as in RFC 9745,
 * `Sunset` as in RFC 8594, and a link to its successor.
 */

const pair = { V1_DEPRECATED_AT: '2027-01-31', V1_SUNSET_AT: '2027-08-01T12:30:00Z' };
const announced = {
  deprecation: '@1801353600',
  sunset: 'Sun, 01 Aug 2027 12:30:00 GMT',
  link: '</docs>; rel="deprecation"; type="text/html"',
};
const silent = { deprecation: null, sunset: null, link: null };

const said = (headers: Headers) => ({
  deprecation: headers.get('deprecation'),
  sunset: headers.get('sunset'),
  link: headers.get('link'),
});

interface Documented {
  readonly paths: Record<string, Record<string, { readonly deprecated?: boolean }>>;
}

/** Answers under `/v1`: successes and problems of every layer, with the status of each. */
async function answersOf(user: TestClient): Promise<readonly (readonly [string, number, Headers])[]> {
  const json = { ...user.headers, 'content-type': 'application/json' };
  const conversationId = await conversationOf(user);
  const requests: readonly (readonly [string, number, string, RequestInit])[] = [
    ['a success', 200, '/v1/users/me', { headers: user.headers }],
    ['a creation', 201, user.url('/conversations'), { method: 'POST', headers: json, body: '{}' }],
    [
      'no content',
      204,
      user.url(`/conversations/${conversationId}/archive`),
      { method: 'POST', headers: user.headers },
    ],
    ['a bad body', 400, user.url('/conversations'), { method: 'POST', headers: json, body: '{' }],
    ['no key', 401, '/v1/users/me', {}],
    ['a foreign origin', 403, '/v1/users/me', { headers: { ...user.headers, origin: 'https://evil.example' } }],
    ['another user', 403, '/v1/users/5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11/budget', { headers: user.headers }],
    ['a missing resource', 404, user.url('/conversations/none'), { headers: user.headers }],
    ['an unknown route', 404, '/v1/nowhere', { headers: user.headers }],
    ['a wrong method', 405, '/v1/users/me', { method: 'DELETE', headers: user.headers }],
    [
      'a large body',
      413,
      user.url('/conversations'),
      { method: 'POST', headers: json, body: JSON.stringify({ title: 'x'.repeat(300_000) }) },
    ],
  ];
  const answers = [];
  for (const [name, , path, init] of requests) {
    const response = await fetch(new URL(path, user.baseUrl), init);
    await response.arrayBuffer();
    answers.push([name, response.status, response.headers] as const);
  }
  expect(answers.map(([name, status]) => [name, status])).toEqual(requests.map(([name, status]) => [name, status]));
  return answers;
}

async function streamOf(user: TestClient): Promise<Headers> {
  const stop = new AbortController();
  const url = user.url(`/conversations/${await conversationOf(user)}/stream`);
  const response = await fetch(url, { headers: user.headers, signal: stop.signal });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  stop.abort();
  return response.headers;
}

/** Answers outside `/v1`: of the service itself, of the sandbox, of webhooks, and of a route that does not exist. */
async function othersOf({ baseUrls: [baseUrl = ''] }: Deployment): Promise<Headers[]> {
  const open = [
    '/healthz',
    '/readyz',
    '/openapi.json',
    '/asyncapi.json',
    '/docs',
    '/sandbox/v1/clock',
    '/',
    '/v2/users/me',
  ];
  const answers = open.map((path) => fetch(`${baseUrl}${path}`));
  const hook = fetch(`${baseUrl}/hooks/v1/5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11`, { method: 'POST' });
  return (await Promise.all([...answers, hook])).map(({ headers }) => headers);
}

async function deprecatedOf({ baseUrls: [baseUrl] }: Deployment): Promise<{ marked: string[]; unmarked: string[] }> {
  // Reason for the assertion: the test checks only the members declared above.
  const { paths } = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Documented;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { deprecated = false }]) => ({ name: `${method} ${path}`, deprecated })),
  );
  const named = (wanted: boolean) =>
    operations.filter(({ deprecated }) => deprecated === wanted).map(({ name }) => name);
  return { marked: named(true), unmarked: named(false) };
}

describe.each([
  ['a deployment whose /v1 is deprecated', pair, announced],
  ['any other deployment', {}, silent],
])('%s', (_, env, expected) => {
  let deployment: Deployment;
  let user: TestClient;
  beforeAll(async () => {
    deployment = await startDeployment({ mode: 'in-process', env });
    user = await deployment.newUser();
  });
  afterAll(() => deployment.stop());

  it('says so, or nothing, on every answer under /v1, problems included', async () => {
    const answers = await answersOf(user);
    expect(answers.map(([name, , headers]) => [name, said(headers)])).toEqual(
      answers.map(([name]) => [name, expected]),
    );
  });

  it('also where the path is spelled otherwise', async () => {
    const asked = get(`${user.baseUrl}/%761/users/me`, { headers: user.headers });
    // Reason for the assertion: the payload of this event.
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    const { deprecation = null, sunset = null, link = null } = answer.headers;
    expect([answer.statusCode, { deprecation, sunset, link }]).toEqual([200, expected]);
  });

  it('and on streams', async () => expect(said(await streamOf(user))).toEqual(expected));

  it('says nothing anywhere else', async () => {
    const others = await othersOf(deployment);
    expect(others.map(said)).toEqual(others.map(() => silent));
  });

  it('marks every operation under /v1 in its document, or none', async () => {
    const { marked, unmarked } = await deprecatedOf(deployment);
    const ofV1 = [...marked, ...unmarked].filter((name) => name.includes(' /v1/'));
    expect(ofV1.length).toBeGreaterThan(40);
    expect(marked.sort()).toEqual(expected === announced ? ofV1.sort() : []);
  });
});

describe('a pair of instants', () => {
  const rule = 'V1_SUNSET_AT: must be set with V1_DEPRECATED_AT, six months or more after it';
  const spelling = 'must be a date, or an instant in UTC as in 2027-01-31T00:00:00Z';
  const refusalOf = (environment: NodeJS.ProcessEnv): string | null => {
    try {
      readConfiguration(environment);
      return null;
    } catch (error) {
      if (error instanceof ConfigurationError) return error.message;
      throw error;
    }
  };

  it.each([
    [{ V1_DEPRECATED_AT: '2027-01-31' }, rule],
    [{ V1_SUNSET_AT: '2027-08-01' }, rule],
    [{ V1_DEPRECATED_AT: '2027-01-31', V1_SUNSET_AT: '2027-01-30' }, rule],
    [{ V1_DEPRECATED_AT: '2027-01-15', V1_SUNSET_AT: '2027-07-14T23:59:59Z' }, rule],
    [{ V1_DEPRECATED_AT: 'soon', V1_SUNSET_AT: '2027-08-01' }, `V1_DEPRECATED_AT: ${spelling}`],
    [{ V1_DEPRECATED_AT: '2027-01-31', V1_SUNSET_AT: '2027-08-01T00:00:00+02:00' }, `V1_SUNSET_AT: ${spelling}`],
    [{ V1_DEPRECATED_AT: '2027-02-30', V1_SUNSET_AT: '2027-12-01' }, `V1_DEPRECATED_AT: ${spelling}`],
  ])('is refused: %j', (environment, told) => expect(refusalOf(environment)).toContain(told));

  it.each([{}, pair, { V1_DEPRECATED_AT: '2027-01-15', V1_SUNSET_AT: '2027-07-15' }])('is taken: %j', (environment) =>
    expect(refusalOf(environment)).toBeNull(),
  );

  it('that is refused keeps a process from starting, which says why', async () => {
    const refused = new TestProcess({ app: 'api', env: { V1_DEPRECATED_AT: '2027-01-31' }, ready: () => false });
    await expect(refused.start()).rejects.toThrow('api ended with 1');
    expect(refused.output).toContain(rule);
  });
});
