import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import {
  anInstant,
  aUuid,
  conversationOf,
  expectProblem,
  journal,
  type Listed,
  missingId,
  raw,
  say,
  start,
  startLongRun,
  untilEnded,
} from '@app/testing/journeys';

let deployment: Deployment;
let user: TestClient;
let there: TestClient;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 } });
  user = await deployment.newUser();
  there = user.via(deployment.baseUrls[1] ?? '');
});
afterAll(() => deployment.stop());

const idle = {
  id: aUuid,
  title: null,
  origin: 'conversation',
  automationId: null,
  status: 'idle',
  liveRunId: null,
  queuedRunIds: [],
  pendingApprovals: 0,
  lastSeq: 1,
  createdAt: anInstant,
  lastActivityAt: anInstant,
  archivedAt: null,
};

describe('conversations.create', () => {
  it('answers the conversation, with a title and without, and any replica has it at once', async () => {
    for (const [body, title] of [
      [undefined, null],
      [{}, null],
      [{ title: null }, null],
      [{ title: 'Ünïcode 🐦' }, 'Ünïcode 🐦'],
      [{ title: '𝒳'.repeat(200) }, '𝒳'.repeat(200)],
    ] as const) {
      const made = await user.post('/conversations', body);
      expect([made.status, made.body]).toEqual([201, { ...idle, title }]);
      expect(made.body['createdAt']).toBe(made.body['lastActivityAt']);
      expect((await there.get(`/conversations/${String(made.body['id'])}`)).body).toEqual(made.body);
      expect((await there.get<Listed>('/conversations?limit=1')).body.data).toEqual([made.body]);
    }
  });

  it('is one event, which says nothing that is not public', async () => {
    const id = await conversationOf(user, 'T');
    expect(await journal(user, id)).toEqual([
      {
        delivery: 'durable',
        seq: 1,
        requestId: expect.any(String),
        payload: {
          type: 'conversation.created',
          at: anInstant,
          title: 'T',
          origin: 'conversation',
          automationId: null,
        },
      },
    ]);
  });

  it('points at each part of a bad body', async () => {
    for (const title of ['', 'x'.repeat(201), '𝒳'.repeat(201), [null], 5, ['x'], { a: 1 }, true]) {
      expectProblem(await user.post('/conversations', { title }), 'invalid_input', { at: ['/title'] });
    }
    const unknown = await user.post('/conversations', { title: 'ok', origin: 'automation', 'a/b': 0 });
    expectProblem(unknown, 'invalid_input', { at: ['/origin', '/a~1b'] });
    expectProblem(await user.post('/conversations?title=x', {}), 'invalid_input', { at: ['/title'] });
    const lone = { body: '{"title":"\\ud800"}', headers: { 'content-type': 'application/json' } };
    expectProblem(await raw(user, 'POST', '/conversations', lone), 'invalid_input', { at: ['/title'] });
  });
});

describe('conversations.update', () => {
  it('renames, which is no activity, and repeats without effect', async () => {
    const id = await conversationOf(user, 'before');
    const before = (await user.get(`/conversations/${id}`)).body;
    const renamed = await user.request('PATCH', `/conversations/${id}`, { title: 'after' });
    expect([renamed.status, renamed.body]).toEqual([200, { ...before, title: 'after', lastSeq: 2 }]);
    expect((await there.get(`/conversations/${id}`)).body).toEqual(renamed.body);
    const again = await there.request('PATCH', `/conversations/${id.toUpperCase()}`, { title: 'after' });
    expect(again.body).toEqual(renamed.body);
    expect((await journal(there, id)).map(({ payload }) => payload)).toMatchObject([
      { type: 'conversation.created' },
      { type: 'conversation.updated', title: 'after' },
    ]);
  });

  it('needs a title', async () => {
    const id = await conversationOf(user);
    for (const body of [undefined, {}, { title: null }, { title: '' }, { title: 'x'.repeat(201) }]) {
      expectProblem(await user.request('PATCH', `/conversations/${id}`, body), 'invalid_input', { at: ['/title'] });
    }
    const more = await user.request('PATCH', `/conversations/${id}`, { title: 'x', status: 'idle' });
    expectProblem(more, 'invalid_input', { at: ['/status'] });
    expect((await user.get(`/conversations/${id}`)).body).toMatchObject({ lastSeq: 1 });
  });
});

describe('a conversation while a run is live', () => {
  it('says so, and cannot be archived until the run has ended', async () => {
    const id = await conversationOf(user);
    const runId = await startLongRun(user, id);
    for (const seen of [user, there]) {
      const { body } = await seen.get(`/conversations/${id}`);
      expect(body).toMatchObject({ status: 'running', liveRunId: runId });
      expect((await seen.get<Listed>('/conversations?active=true&limit=1')).body.data).toMatchObject([
        { id, status: 'running', liveRunId: runId },
      ]);
    }
    expectProblem(await there.post(`/conversations/${id}/archive`), 'run_active');
    await user.post(`/agent-runs/${runId}/abort`);
    expect((await there.get(`/conversations/${id}`)).body).toMatchObject({ status: 'idle', liveRunId: null });
    expect((await there.post(`/conversations/${id}/archive`)).status).toBe(204);
  });

  it('moves its activity with every event of the run', async () => {
    const id = await conversationOf(user);
    const before = (await user.get(`/conversations/${id}`)).body;
    await say(user, id);
    const after = (await user.get(`/conversations/${id}`)).body;
    const events = await journal(user, id);
    expect(after).toMatchObject({ lastSeq: events.length, lastActivityAt: events.at(-1)?.payload['at'] });
    expect(String(after['lastActivityAt']) >= String(before['lastActivityAt'])).toBe(true);
    expect((await there.get<Listed>('/conversations?limit=1')).body.data).toEqual([after]);
  });
});

describe('conversations.archive', () => {
  it('is answered alike when repeated, refuses every other write, and stays readable', async () => {
    const id = await conversationOf(user, 'old');
    const run = await say(user, id);
    const before = (await user.get(`/conversations/${id}`)).body;
    const archived = await user.post(`/conversations/${id}/archive`);
    expect([archived.status, archived.body, archived.headers.get('content-type')]).toEqual([204, {}, null]);
    expect((await there.post(`/conversations/${id}/archive`, {})).status).toBe(204);
    const after = (await there.get(`/conversations/${id}`)).body;
    const lastSeq = Number(before['lastSeq']) + 1;
    expect(after).toEqual({ ...before, archivedAt: anInstant, lastSeq });
    expectProblem(await there.request('PATCH', `/conversations/${id}`, { title: 'new' }), 'not_found');
    expectProblem(await start(there, id), 'not_found');
    const replay = await start(there, id, 'anything', { runId: run['id'] });
    expect([replay.status, replay.body]).toMatchObject([202, { runId: run['id'], status: 'completed', seq: 2 }]);
    expect((await there.get<Listed>(`/conversations/${id}/messages`)).body.data).toHaveLength(2);
    const events = await journal(there, id);
    expect(events.map(({ payload }) => payload['type']).at(-1)).toBe('conversation.archived');
    const stream = await there.stream(`/conversations/${id}/stream?cursor=${lastSeq - 1}`);
    expect(await stream.untilEvent('conversation.archived')).toMatchObject({ id: String(lastSeq) });
    await stream.close();
    expect((await user.get(`/agent-runs/${String(run['id'])}`)).body).toEqual(run);
  });

  it('takes no body', async () => {
    const id = await conversationOf(user);
    expectProblem(await user.post(`/conversations/${id}/archive`, { force: true }), 'invalid_input', {
      at: ['/force'],
    });
    expect((await user.get(`/conversations/${id}`)).body).toMatchObject({ archivedAt: null });
  });
});

describe('conversations.messages', () => {
  it('pages through what was said, oldest first', async () => {
    const id = await conversationOf(user);
    const runs = [await say(user, id, 'repeat after me: one'), await say(user, id, 'repeat after me: two')];
    const first = await there.get<Listed>(`/conversations/${id}/messages?limit=3`);
    const [asked, answered] = [{ role: 'user' }, { role: 'assistant' }];
    const said = { id: aUuid, artifactIds: [], superseded: false, createdAt: anInstant, seq: expect.any(Number) };
    expect(first.body.data).toEqual([
      { ...said, ...asked, runId: runs[0]?.['id'], text: 'repeat after me: one', seq: 2 },
      { ...said, ...answered, runId: runs[0]?.['id'], text: 'one' },
      { ...said, ...asked, runId: runs[1]?.['id'], text: 'repeat after me: two' },
    ]);
    const cursor = first.body.nextCursor ?? '';
    const rest = await user.get<Listed>(`/conversations/${id}/messages?limit=1&cursor=${cursor}`);
    expect(rest.body).toEqual({
      data: [{ ...said, ...answered, runId: runs[1]?.['id'], text: 'two' }],
      nextCursor: null,
    });
    const events = await journal(user, id);
    for (const { seq, text, role } of [...first.body.data, ...rest.body.data]) {
      const event = events[Number(seq) - 1]?.payload;
      const source =
        role === 'user' ? { type: 'run.started', request: { input: { text } } } : { type: 'agent.message', text };
      expect(event).toMatchObject(source);
    }
  });

  it('refuses what it does not know', async () => {
    const id = await conversationOf(user);
    for (const limit of ['0', '101', '-1', '1.5', 'x', '', '01']) {
      const { status, body } = await user.get(`/conversations/${id}/messages?limit=${limit}`);
      expect([limit, status, body['reason']]).toEqual([limit, 400, 'invalid_input']);
    }
    const twice = await user.get(`/conversations/${id}/messages?limit=1&limit=2`);
    expectProblem(twice, 'invalid_input', { at: ['/limit'] });
    expectProblem(await user.get(`/conversations/${id}/messages?role=user`), 'invalid_input', { at: ['/role'] });
    expectProblem(await user.get(`/conversations/${id}/messages?cursor=abc`), 'invalid_cursor');
    expectProblem(await user.get(`/conversations/${missingId}/messages?cursor=abc`), 'invalid_cursor');
  });
});

it('is not there for anybody else', async () => {
  const id = await conversationOf(user);
  const stranger = await deployment.newUser();
  for (const path of ['', '/messages', '/events', '/stream']) {
    expectProblem(await stranger.get(`/conversations/${id}${path}`), 'not_found');
    expectProblem(await stranger.get(`/v1/users/${user.userId}/conversations/${id}${path}`), 'subject_mismatch');
  }
  expectProblem(await start(stranger, id), 'not_found');
  expectProblem(await stranger.post(`/conversations/${id}/archive`), 'not_found');
  expectProblem(await stranger.request('PATCH', `/conversations/${id}`, { title: 'mine' }), 'not_found');
  const live = await startLongRun(user, id);
  expectProblem(await stranger.post(`/agent-runs/${live}/abort`), 'not_found');
  expect((await user.post(`/agent-runs/${live}/abort`)).body).toEqual({ aborted: true });
  await untilEnded(user, live);
});
