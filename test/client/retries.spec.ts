import { isReason, ParleyClient, type ParleyProblem, ParleyUnreachable } from '@parley/client';
import { freePorts } from '@app/testing/processes';
import { conversations, create, errorOf, me, runs, start } from './example-calls';
import { half, json, page, problem, ScriptedService, silence } from './scripted-service';

let service: ScriptedService;
beforeAll(async () => {
  service = await ScriptedService.start();
});
afterAll(() => service.stop());

describe('what is sent again', () => {
  it('is what the service calls retryable, with the same body and id', async () => {
    service.play(problem('run_active'), problem('execution_capacity'), json({ runId: 'r' }, 202));
    await service.client().api.POST(runs, start);
    const [first, second, third] = service.seen;
    expect(JSON.parse(first?.body ?? '')).toMatchObject({
      ...start.body,
      runId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect([second?.body, third?.body]).toEqual([first?.body, first?.body]);
    expect(third?.headers['x-request-id']).toBe(first?.headers['x-request-id']);
  });

  it('keeps an id that the caller chose', async () => {
    service.play(json({ runId: 'mine' }, 202));
    await service.client().api.POST(runs, { ...start, body: { ...start.body, runId: 'mine' } });
    expect(JSON.parse(service.seen[0]?.body ?? '')).toMatchObject({ runId: 'mine' });
  });

  it('is bounded, and what the service said last is what the caller hears', async () => {
    service.play(problem('execution_capacity'));
    const error = await errorOf(service.client({ retry: { attempts: 3 } }).api.POST(runs, start));
    expect(isReason(error, 'execution_capacity')).toBe(true);
    expect(service.seen).toHaveLength(3);
  });

  it('is what the caller says it is', async () => {
    service.play(problem('run_active'));
    const when = (failure: ParleyProblem) => failure.status === 503;
    await errorOf(service.client({ retry: { when } }).api.POST(runs, start));
    expect(service.seen).toHaveLength(1);
  });

  it('waits as long as Retry-After asks for, or not at all when that is too long', async () => {
    service.play(problem('rate_limited', { 'retry-after': '1' }), json(me));
    const before = performance.now();
    await service.client().api.GET('/v1/users/me');
    expect(performance.now() - before).toBeGreaterThanOrEqual(990);

    service.play(problem('rate_limited', { 'retry-after': '3600' }));
    const error = await errorOf(service.client().api.GET('/v1/users/me'));
    expect(isReason(error, 'rate_limited') && error.retryAfterSeconds).toBe(3600);
    expect(service.seen).toHaveLength(1);
  });

  it('reads Retry-After in seconds, also with a fraction, or as a date, and nothing else', async () => {
    const asked = async (value: string) => {
      service.play(problem('rate_limited', { 'retry-after': value }));
      const error = await errorOf(service.client({ retry: { attempts: 1 } }).api.GET('/v1/users/me'));
      return isReason(error, 'rate_limited') && error.retryAfterSeconds;
    };
    expect([await asked('1.5'), await asked('299.997')]).toEqual([2, 300]);
    expect([3599, 3600]).toContain(await asked(new Date(Date.now() + 3_600_000).toUTCString()));
    expect([await asked('-3'), await asked('-40'), await asked('soon')]).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    ['half an answer', half],
    ['a page of a proxy', page(502)],
    ['a page of a proxy in place of the answer', page(200)],
    ['no JSON', json(undefined)],
  ])('is a read after %s, but no write that might be done twice', async (_, failure) => {
    service.play(failure, json(me));
    expect((await service.client().api.GET('/v1/users/me')).data).toEqual(me);
    service.play(failure, json({ id: 'c' }, 201));
    const error = await errorOf(service.client().api.POST(conversations, create));
    expect(error).toBeInstanceOf(ParleyUnreachable);
    expect(error).toMatchObject({ outcome: 'unknown', requestId: service.seen[0]?.headers['x-request-id'] });
    expect(service.seen).toHaveLength(1);
  });

  it('is no read that a proxy refuses for good', async () => {
    service.play(page(403));
    expect(await errorOf(service.client().api.GET('/v1/users/me'))).toMatchObject({ kind: 'answer', status: 403 });
    expect(service.seen).toHaveLength(1);
  });

  it('is anything that never left', async () => {
    const [port] = await freePorts(1);
    const asked: string[] = [];
    const fetch = (url: string, init: RequestInit) => {
      asked.push(url);
      return globalThis.fetch(url, init);
    };
    const retry = { attempts: 3, firstDelayMs: 1 };
    const baseUrl = `http://127.0.0.1:${port}`;
    const client = new ParleyClient({ baseUrl, partnerKey: 'key', userToken: 'token', fetch, retry });
    const error = await errorOf(client.api.POST(conversations, create));
    expect(error).toMatchObject({ name: 'ParleyUnreachable', kind: 'connection', outcome: 'not_sent' });
    expect(asked).toHaveLength(3);
  });

  it('is what did not come in time, if it may be', async () => {
    service.play(silence, json(me));
    expect((await service.client({ retry: { attemptMs: 200 } }).api.GET('/v1/users/me')).data).toEqual(me);
    service.play(silence);
    const client = service.client({ retry: { attemptMs: 50 } });
    const error = await errorOf(client.api.POST(conversations, create));
    expect(error).toMatchObject({ kind: 'timeout', outcome: 'unknown' });
  });
});
