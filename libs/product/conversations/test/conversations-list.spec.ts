import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { allPages, conversationOf, expectProblem, type Listed, say, startLongRun } from '@app/testing/journeys';

const made = 23;

let deployment: Deployment;
let user: TestClient;
let ids: string[];
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 } });
  user = await deployment.newUser();
  ids = [];
  for (let index = 0; index < made; index += 1) ids.push(await conversationOf(user, `number ${index}`));
});
afterAll(() => deployment.stop());

const listed = async (query: string): Promise<unknown[]> =>
  (await allPages(user, `/conversations?${query}`)).items.map(({ id }) => id);

describe('conversations.list', () => {
  it('is the most recently active first, whole, page by page, with the total on each', async () => {
    for (const limit of [1, 7, made - 1, made, 100]) {
      const { pages, items } = await allPages(user, `/conversations?limit=${limit}`);
      expect(items.map(({ id }) => id)).toEqual([...ids].reverse());
      expect(pages.map(({ total }) => total)).toEqual(pages.map(() => made));
      expect(pages).toHaveLength(Math.ceil(made / limit));
      for (const { nextCursor } of pages) expect((nextCursor ?? '').length).toBeLessThanOrEqual(256);
    }
    const { body } = await user.get<Listed>('/conversations');
    expect(Object.keys(body).sort()).toEqual(['data', 'nextCursor', 'total']);
  });

  it('starts with 50 when nothing is said', async () => {
    const busy = await deployment.newUser();
    for (let index = 0; index < 51; index += 1) await conversationOf(busy);
    const { body } = await busy.get<Listed>('/conversations');
    expect([body.data.length, body.total, body.nextCursor]).toEqual([50, 51, expect.any(String)]);
  });

  it('is empty for a new user', async () => {
    const fresh = await deployment.newUser();
    expect((await fresh.get('/conversations?active=true&origin=automation&archived=true')).body).toEqual({
      data: [],
      nextCursor: null,
      total: 0,
    });
  });
});

describe('filters of conversations.list', () => {
  let some: TestClient;
  const count = async (query: string): Promise<[number, number | undefined]> => {
    const { body } = await some.get<Listed>(`/conversations?${query}`);
    return [body.data.length, body.total];
  };
  beforeAll(async () => (some = await deployment.newUser()));

  it('act together, and the total counts what they let through', async () => {
    const [live = '', archived = ''] = [
      await conversationOf(some),
      await conversationOf(some),
      await conversationOf(some),
    ];
    const runId = await startLongRun(some, live);
    await some.post(`/conversations/${archived}/archive`);
    expect(await count('')).toEqual([2, 2]);
    expect(await count('archived=false')).toEqual([2, 2]);
    expect(await count('archived=true')).toEqual([1, 1]);
    expect(await count('active=true')).toEqual([1, 1]);
    expect(await count('active=false')).toEqual([1, 1]);
    expect(await count('active=false&archived=true')).toEqual([1, 1]);
    expect(await count('active=true&archived=true')).toEqual([0, 0]);
    expect(await count('origin=conversation')).toEqual([2, 2]);
    expect(await count('origin=automation')).toEqual([0, 0]);
    expect(await count('origin=conversation&active=true')).toEqual([1, 1]);
    await some.post(`/agent-runs/${runId}/abort`);
    expect(await count('active=true')).toEqual([0, 0]);
    expect(await count('active=false')).toEqual([2, 2]);
  });

  it('are refused when they say something else', async () => {
    const wrong: [string, string][] = [
      ['archived=1', '/archived'],
      ['archived=TRUE', '/archived'],
      ['active=', '/active'],
      ['origin=user', '/origin'],
      ['limit=0', '/limit'],
      ['limit=101', '/limit'],
      ['limit=10&limit=10', '/limit'],
      ['total=1', '/total'],
      ['__proto__=1', '/__proto__'],
    ];
    for (const [query, at] of wrong)
      expectProblem(await user.get(`/conversations?${query}`), 'invalid_input', { at: [at] });
    const both = await user.get('/conversations?limit=x&origin=y');
    expect(both.body['issues']).toHaveLength(2);
  });
});

describe('cursors of conversations.list', () => {
  const first = async (query = '') => {
    const { body } = await user.get<Listed>(`/conversations?limit=2${query}`);
    return body.nextCursor ?? '';
  };
  const withCursor = (cursor: string, query = '') =>
    user.get(`/conversations?cursor=${encodeURIComponent(cursor)}${query}`);

  it('go on under another limit, on another replica, and again', async () => {
    const cursor = await first();
    const there = user.via(deployment.baseUrls[1] ?? '');
    for (const seen of [user, there, there]) {
      const { body } = await seen.get<Listed>(`/conversations?limit=5&cursor=${cursor}`);
      expect(body.data.map(({ id }) => id)).toEqual([...ids].reverse().slice(2, 7));
    }
  });

  it('are good for nothing else', async () => {
    const cursor = await first();
    const flipped = cursor.slice(0, -1) + (cursor.endsWith('A') ? 'B' : 'A');
    for (const bad of ['', 'x', flipped, `${cursor}=`, ` ${cursor}`, cursor.slice(1), cursor.repeat(9), '%00', 'ä']) {
      expectProblem(await withCursor(bad), 'invalid_cursor');
    }
    expectProblem(await withCursor(cursor, '&archived=true'), 'invalid_cursor');
    expectProblem(await withCursor(cursor, '&active=false'), 'invalid_cursor');
    expectProblem(await withCursor(cursor, '&origin=conversation'), 'invalid_cursor');
    expectProblem(await user.get(`/agent-runs?cursor=${cursor}`), 'invalid_cursor');
    expectProblem(await user.get(`/conversations/${ids[0]}/messages?cursor=${cursor}`), 'invalid_cursor');
    expectProblem(await user.get(`/conversations/${ids[0]}/events?cursor=${cursor}`), 'invalid_cursor');
    const stranger = await deployment.newUser();
    expectProblem(await stranger.get(`/conversations?cursor=${cursor}`), 'invalid_cursor');
  });

  it('hold a place in the order of activity', async () => {
    const cursor = await first();
    const [newest = '', , third = ''] = [...ids].reverse();
    await say(user, third);
    const { body } = await user.get<Listed>(`/conversations?limit=1&cursor=${cursor}`);
    expect(body.data.map(({ id }) => id)).toEqual([[...ids].reverse()[3]]);
    ids = [...ids.filter((id) => id !== third), third];
    expect(await listed('limit=100')).toEqual([...ids].reverse());
    await user.request('PATCH', `/conversations/${newest}`, { title: 'renamed' });
    expect(await listed('limit=100')).toEqual([...ids].reverse());
  });
});
