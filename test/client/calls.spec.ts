import { isProblem, isReason, isUnreachable, ParleyProblem } from '@parley/client';
import { conversations, create, errorOf, me, runs, start } from './example-calls';
import { json, problem, ScriptedService, silence } from './scripted-service';

let service: ScriptedService;
beforeAll(async () => {
  service = await ScriptedService.start();
});
afterAll(() => service.stop());

describe('a call', () => {
  it('carries both credentials and an id of its own, and answers typed data', async () => {
    service.play(json(me));
    const { data, response } = await service.client().api.GET('/v1/users/me');
    expect([data, response.status]).toEqual([me, 200]);
    const [seen] = service.seen;
    expect(seen).toMatchObject({ method: 'GET', url: '/v1/users/me' });
    expect(seen?.headers).toMatchObject({ 'x-api-key': 'key', authorization: 'Bearer token' });
    expect(seen?.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{8,64}$/);
  });

  it('takes a base URL with a path and a slash at its end', async () => {
    service.play(json(me));
    const client = service.client({ baseUrl: `${service.baseUrl}/parley/` });
    await client.api.GET('/v1/users/me');
    expect(service.seen[0]?.url).toBe('/parley/v1/users/me');
  });

  it('sends bytes as they are, and reads them', async () => {
    const params = { path: { userId: 'u', conversationId: 'c' } };
    const headers = { 'content-type': 'text/plain' };
    const artifacts = '/v1/users/{userId}/conversations/{conversationId}/artifacts';
    service.play(json({ id: 'a' }, 201));
    const upload = { params: { ...params, query: { name: 'a.txt' } }, headers, body: new TextEncoder().encode('é') };
    expect((await service.client().api.POST(artifacts, upload)).data.id).toBe('a');
    expect(service.seen[0]).toMatchObject({
      url: '/v1/users/u/conversations/c/artifacts?name=a.txt',
      headers,
      body: 'é',
    });

    service.play((response) => response.writeHead(200, headers).end('é'));
    const path = { ...params.path, artifactId: 'a' };
    const content = await service
      .client()
      .api.GET(`${artifacts}/{artifactId}/content`, { params: { path }, parseAs: 'arrayBuffer' });
    expect(Buffer.from(content.data).toString()).toBe('é');
  });

  it('rejects with the problem that the service tells of', async () => {
    const body = {
      type: 'urn:parley:error:invalid_input',
      title: 'Not valid',
      status: 400,
      reason: 'invalid_input',
      requestId: 'request-9',
      retryable: false,
      detail: '/input',
      issues: [{ path: '/input', message: 'no' }],
    };
    service.play(json(body, 400, { 'content-type': 'application/problem+json; charset=utf-8' }));
    const error = await errorOf(service.client().api.POST(runs, start));
    expect(error).toBeInstanceOf(ParleyProblem);
    expect(error).toMatchObject(body);
    expect(isReason(error, 'run_active', 'invalid_input')).toBe(true);
    expect(isReason(error, 'run_active')).toBe(false);
    expect([isProblem(error), isUnreachable(error)]).toEqual([true, false]);
    expect(service.seen).toHaveLength(1);
  });

  it('tells what to do about a withdrawal that has changed', async () => {
    const body = {
      type: 'urn:parley:error:conflict',
      title: 'Changed',
      status: 409,
      reason: 'withdrawal_changed',
      requestId: 'request-9',
      retryable: false,
    };
    const kind = { 'content-type': 'application/problem+json' };
    service.play(json({ ...body, change: 'wallet_disabled' }, 409, kind));
    expect(await errorOf(service.client().api.POST(runs, start))).toMatchObject({ change: 'wallet_disabled' });
    service.play(json({ ...body, change: 'of_another_day' }, 409, kind));
    expect(await errorOf(service.client().api.POST(runs, start))).toMatchObject({ change: undefined });
  });

  it('narrows the reason for the compiler', () => {
    const error: unknown = new ParleyProblem({ type: 't', title: 'T', status: 409, requestId: 'r', retryable: true });
    if (isReason(error, 'run_active', 'stop_pending')) {
      const reason: 'run_active' | 'stop_pending' = error.reason;
      throw new Error(reason);
    }
    expect(isReason(error, 'run_active')).toBe(false);
  });
});

describe('the caller', () => {
  it('stops a call, also between two attempts', async () => {
    service.play(silence);
    const first = new AbortController();
    const call = errorOf(service.client().api.GET('/v1/users/me', { signal: first.signal }));
    first.abort(new Error('enough'));
    expect(await call).toMatchObject({ message: 'enough' });

    service.play(problem('rate_limited', { 'retry-after': '30' }));
    const second = new AbortController();
    const waiting = errorOf(service.client().api.GET('/v1/users/me', { signal: second.signal }));
    setTimeout(() => second.abort(), 100);
    expect(await waiting).toMatchObject({ name: 'AbortError' });
  });

  it('is asked once for a fresh token when the old one has expired', async () => {
    const asked: boolean[] = [];
    const userToken = ({ renew }: { readonly renew: boolean }) => {
      asked.push(renew);
      return renew ? 'fresh' : 'old';
    };
    service.play(problem('credential_expired'), json({ id: 'c' }, 201));
    await service.client({ userToken }).api.POST(conversations, create);
    expect(service.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer fresh']);
    expect(asked).toEqual([false, true]);

    service.play(problem('credential_expired'));
    expect(isReason(await errorOf(service.client({ userToken }).api.GET('/v1/users/me')), 'credential_expired')).toBe(
      true,
    );
    expect(service.seen).toHaveLength(2);
    expect(isReason(await errorOf(service.client().api.GET('/v1/users/me')), 'credential_expired')).toBe(true);
    expect(service.seen).toHaveLength(3);
  });

  it('hears at once what its own token function fails with', async () => {
    service.play(json(me));
    const userToken = () => Promise.reject(new Error('no session'));
    expect(await errorOf(service.client({ userToken }).api.GET('/v1/users/me'))).toMatchObject({
      message: 'no session',
    });
    expect(service.seen).toHaveLength(0);
  });
});

describe('pages()', () => {
  const path = { userId: 'u' };

  it('gives the items of all pages, and asks for a page only when it is needed', async () => {
    service.play(
      json({ data: [{ id: 'a' }, { id: 'b' }], nextCursor: 'two' }),
      json({ data: [], nextCursor: 'three' }),
      json({ data: [{ id: 'c' }], nextCursor: null }),
    );
    const ids: string[] = [];
    for await (const { id } of service.client().pages(runs, { params: { path, query: { limit: 2 } } })) {
      ids.push(id);
      if (id === 'a') expect(service.seen).toHaveLength(1);
    }
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(service.seen.map(({ url }) => url.split('?')[1])).toEqual([
      'limit=2',
      'limit=2&cursor=two',
      'limit=2&cursor=three',
    ]);
  });

  it('does not go round in circles', async () => {
    service.play(json({ data: [], nextCursor: 'same' }));
    const list = service.client().pages(runs, { params: { path } });
    await expect(list.next()).rejects.toThrow('the same cursor came twice');
  });
});
