import { untuned } from '@app/conversations';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import {
  allPages,
  anInstant,
  conversationOf,
  expectProblem,
  journal,
  type Listed,
  missingId,
  say,
  start,
  startLongRun,
  untilEnded,
  untilStatus,
} from '@app/testing/journeys';

let deployment: Deployment;
let user: TestClient;
let there: TestClient;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 }, env: { LOG_LEVEL: 'silent' } });
  user = await deployment.newUser();
  there = user.via(deployment.baseUrls[1] ?? '');
});
afterAll(() => deployment.stop());

describe('runs.get', () => {
  it('says everything about a run that completed', async () => {
    const conversationId = await conversationOf(user);
    const { body } = await start(user, conversationId, 'Repeat   after ME:  one  two ');
    const run = await untilEnded(there, body.runId);
    expect(run).toEqual({
      id: body.runId,
      conversationId,
      origin: 'user',
      automationId: null,
      occurrenceId: null,
      request: { input: { text: 'Repeat   after ME:  one  two ' } },
      resolved: {
        model: 'parley/rules',
        tools: expect.arrayContaining(['current_time', 'intents_transfer']) as unknown,
        maxSteps: 16,
        ...untuned,
      },
      response: { text: 'one  two ', truncated: false },
      output: null,
      status: 'completed',
      segment: 1,
      pendingApprovalIds: [],
      usage: { inputTokens: 5, cachedInputTokens: 0, outputTokens: 2, costCents: 1, estimated: false },
      failure: null,
      createdAt: anInstant,
      startedAt: anInstant,
      endedAt: anInstant,
    });
    const instants = [run['createdAt'], run['startedAt'], run['endedAt']].map(String);
    expect([...instants].sort()).toEqual(instants);
  });

  it('says of a live one how far it is', async () => {
    const id = await conversationOf(user);
    const runId = await startLongRun(user, id);
    expect(await untilStatus(there, runId, 'running')).toMatchObject({
      response: null,
      output: null,
      failure: null,
      startedAt: anInstant,
      endedAt: null,
      usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costCents: 0, estimated: false },
    });
    await user.post(`/agent-runs/${runId}/abort`);
    expect(await untilEnded(there, runId)).toMatchObject({
      status: 'aborted',
      response: null,
      output: null,
      failure: null,
      endedAt: anInstant,
    });
  });

  it('is 404 for whatever is no run of the user', async () => {
    const stranger = await deployment.newUser();
    const run = await say(user, await conversationOf(user));
    for (const id of [missingId, 'x', '%20', String(run['conversationId'])]) {
      expectProblem(await user.get(`/agent-runs/${id}`), 'not_found');
    }
    expectProblem(await stranger.get(`/agent-runs/${String(run['id'])}`), 'not_found');
    expectProblem(await user.get(`/agent-runs/${String(run['id'])}?expand=1`), 'invalid_input', { at: ['/expand'] });
    expect((await there.get(`/agent-runs/${String(run['id']).toUpperCase()}`)).body).toEqual(run);
  });
});

describe('a run', () => {
  it('tells the time by its tool, in two steps', async () => {
    const id = await conversationOf(user);
    const run = await say(user, id, 'What  time is it in Europe/Berlin?');
    expect(run).toMatchObject({ status: 'completed', usage: { costCents: 2 } });
    const events = (await journal(there, id)).map(({ payload }) => payload);
    expect(events.map(({ type }) => type)).toEqual([
      'conversation.created',
      'run.started',
      'agent.step',
      'tool.called',
      'tool.returned',
      'agent.step',
      'agent.message',
      'run.ended',
    ]);
    const runId = run['id'];
    const toolCallId = `${String(runId)}/1/0`;
    const local = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as unknown;
    const usage = { inputTokens: 6, cachedInputTokens: 0, outputTokens: 0, costCents: 1, estimated: false };
    const input = { timezone: 'Europe/Berlin' };
    const result = { now: anInstant, timezone: 'Europe/Berlin', local };
    expect(events.slice(2, 5)).toEqual([
      { type: 'agent.step', at: anInstant, runId, step: 1, model: 'parley/rules', usage },
      { type: 'tool.called', at: anInstant, runId, toolCallId, tool: 'current_time', input },
      { type: 'tool.returned', at: anInstant, runId, toolCallId, outcome: 'ok', result },
    ]);
    const response = run['response'] as { text: string };
    expect(events[6]).toMatchObject({ type: 'agent.message', runId, text: response.text });
    expect(response.text).toMatch(/^It is .* in Europe\/Berlin\.$/);
    expect(events[7]).toEqual({
      type: 'run.ended',
      at: run['endedAt'],
      runId,
      status: 'completed',
      response,
      output: null,
      failure: null,
      usage: run['usage'],
    });
  });

  it('is told of a time zone that is none, and goes on', async () => {
    const id = await conversationOf(user);
    expect(await say(user, id, 'what time is it in Europe/Atlantis')).toMatchObject({
      status: 'completed',
      response: { text: 'I could not read the clock.' },
    });
    const returned = (await journal(user, id)).find(({ payload }) => payload['type'] === 'tool.returned');
    expect(returned?.payload).toMatchObject({ outcome: 'error', result: { error: expect.any(String) } });
  });

  it('ends as failed when its steps are used up, its output is wrong, or the model fails', async () => {
    const id = await conversationOf(user);
    expect(await say(user, id, 'what time is it', { profile: { maxSteps: 1 } })).toMatchObject({
      status: 'failed',
      response: null,
      failure: { reason: 'step_limit' },
      usage: { costCents: 1 },
    });
    const unsatisfiable = { type: 'integer', minimum: 5, maximum: 4 };
    expect(await say(user, id, 'x', { profile: { outputSchema: unsatisfiable } })).toMatchObject({
      status: 'failed',
      response: null,
      output: null,
      failure: { reason: 'output_invalid' },
    });
    await deployment.sandbox('PUT', 'faults', { model: { fail: true } });
    const failed = await say(user, id, 'help');
    await deployment.sandbox('PUT', 'faults', { model: { fail: false } });
    expect(failed).toMatchObject({
      status: 'failed',
      failure: { reason: 'provider_error', text: expect.any(String) },
      usage: { costCents: 0 },
    });
    const text = JSON.stringify(failed['failure']);
    expect(text).not.toMatch(/sandbox|stack|Error:/);
  });

  it('bears the request id of its start in all its events', async () => {
    const id = await conversationOf(user);
    const response = await fetch(user.url('/agent-runs'), {
      method: 'POST',
      headers: { ...user.headers, 'content-type': 'application/json', 'x-request-id': 'my.request-0001' },
      body: JSON.stringify({ conversationId: id, input: { text: 'what time is it' } }),
    });
    expect(response.headers.get('x-request-id')).toBe('my.request-0001');
    await untilEnded(user, ((await response.json()) as { runId: string }).runId);
    const [created, ...others] = (await journal(user, id)) as unknown as { requestId: string }[];
    expect(created?.requestId).not.toBe('my.request-0001');
    expect(new Set(others.map(({ requestId }) => requestId))).toEqual(new Set(['my.request-0001']));
  });
});

describe('runs.list', () => {
  it('is the newest first, of all conversations or of one, with the total of each', async () => {
    const lister = await deployment.newUser();
    const [one, two] = [await conversationOf(lister), await conversationOf(lister)];
    const runs: string[] = [];
    for (const id of [one, two, one, one, two])
      runs.unshift(String((await say(lister, id, 'repeat after me: x'))['id']));
    const { pages, items } = await allPages(lister.via(there.baseUrl), '/agent-runs?limit=2');
    expect(items.map(({ id }) => id)).toEqual(runs);
    expect(pages.map(({ total, data }) => [total, data.length])).toEqual([
      [5, 2],
      [5, 2],
      [5, 1],
    ]);
    for (const item of items) expect(item).toEqual((await lister.get(`/agent-runs/${String(item['id'])}`)).body);
    const ofOne = await allPages(lister, `/agent-runs?conversationId=${one.toUpperCase()}&limit=1`);
    expect(ofOne.items.map(({ id }) => id)).toEqual([runs[1], runs[2], runs[4]]);
    expect(ofOne.pages[0]?.total).toBe(3);
    const cursor = ofOne.pages[0]?.nextCursor ?? '';
    expectProblem(await lister.get(`/agent-runs?cursor=${cursor}`), 'invalid_cursor');
    expectProblem(await lister.get(`/agent-runs?cursor=${cursor}&conversationId=${two}`), 'invalid_cursor');
    const lower = await lister.get<Listed>(`/agent-runs?cursor=${cursor}&conversationId=${one}`);
    expect(lower.body.data).toHaveLength(2);
  });

  it('shows nobody the runs of another, whichever conversation is named', async () => {
    const id = await conversationOf(user);
    await say(user, id);
    const stranger = await deployment.newUser();
    for (const conversationId of [id, missingId]) {
      const { status, body } = await stranger.get(`/agent-runs?conversationId=${conversationId}`);
      expect([status, body]).toEqual([200, { data: [], nextCursor: null, total: 0 }]);
    }
  });

  it('refuses what it does not know', async () => {
    const wrong: [string, string][] = [
      ['conversationId=x', '/conversationId'],
      ['conversationId=', '/conversationId'],
      ['limit=0', '/limit'],
      ['limit=101', '/limit'],
      ['status=live', '/status'],
      ['limit=1&limit=1', '/limit'],
      ['cursor=1&cursor=2', '/cursor'],
    ];
    for (const [query, at] of wrong)
      expectProblem(await user.get(`/agent-runs?${query}`), 'invalid_input', { at: [at] });
    expectProblem(await user.get('/agent-runs?cursor='), 'invalid_cursor');
  });
});
