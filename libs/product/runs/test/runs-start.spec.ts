import { randomUUID } from 'node:crypto';
import { untuned } from '@app/conversations';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import {
  aUuid,
  conversationOf,
  eventCount,
  expectProblem,
  journal,
  type Listed,
  missingId,
  say,
  start,
  startLongRun,
  untilEnded,
} from '@app/testing/journeys';

let deployment: Deployment;
let user: TestClient;
let there: TestClient;
beforeAll(async () => {
  deployment = await startDeployment({
    mode: 'in-process',
    replicas: { api: 2 },
    env: { BUDGET_DAY_CENTS: '100000', BUDGET_MONTH_CENTS: '100000' },
  });
  user = await deployment.newUser();
  there = user.via(deployment.baseUrls[1] ?? '');
});
afterAll(() => deployment.stop());

describe('runs.start', () => {
  it('answers what it recorded, and any replica has it at once', async () => {
    const id = await conversationOf(user);
    const { status, body } = await start(user, id.toUpperCase());
    expect([status, body]).toEqual([202, { runId: aUuid, conversationId: id, status: 'running', seq: 2 }]);
    expect((await there.get(`/agent-runs/${body.runId}`)).body).toMatchObject({ id: body.runId, conversationId: id });
    expect((await there.get<Listed>('/agent-runs?limit=1')).body.data).toMatchObject([{ id: body.runId }]);
    await untilEnded(there, body.runId);
  });

  it('keeps what the client sent, to the letter, and says what it came to', async () => {
    const id = await conversationOf(user);
    const runId = randomUUID();
    const outputSchema = { type: 'object', properties: { n: { type: 'integer', minimum: 3 } }, required: ['n'] };
    const profile = {
      model: 'parley/rules',
      instructions: 'Be brief — ünïcode 🐦',
      tools: ['current_time', 'current_time'],
      maxSteps: 3,
      outputSchema,
    };
    const run = await say(user, id, 'anything', { runId: runId.toUpperCase(), profile });
    expect(run).toMatchObject({
      id: runId,
      request: { input: { text: 'anything' }, profile },
      resolved: { model: 'parley/rules', tools: ['current_time'], maxSteps: 3 },
      output: { n: 3 },
    });
    const [started] = (await journal(user, id)).slice(1);
    expect(started?.payload).toEqual({
      type: 'run.started',
      at: expect.any(String),
      runId,
      origin: 'user',
      automationId: null,
      occurrenceId: null,
      request: run['request'],
    });
    const plain = await say(user, id, undefined, {
      runId: null,
      profile: { model: null, tools: [], outputSchema: null },
    });
    expect(plain['request']).toEqual({ input: { text: 'repeat after me: done' }, profile: { tools: [] } });
    expect(plain['resolved']).toEqual({ model: 'parley/rules', tools: [], maxSteps: 16, ...untuned });
    const { body } = await user.get<Listed>('/agent-runs?limit=1');
    expect(body.data).toMatchObject([{ request: plain['request'], resolved: plain['resolved'] }]);
  });

  it('takes the longest input, and no longer one', async () => {
    const id = await conversationOf(user);
    const echo = 'repeat after me: ';
    const longest = await say(user, id, echo + '𝒳'.repeat(32_768 - echo.length));
    expect(longest).toMatchObject({ status: 'completed', response: { text: '𝒳'.repeat(32_768 - echo.length) } });
    expectProblem(await start(user, id, '𝒳'.repeat(32_769)), 'invalid_input', { at: ['/input/text'] });
    expectProblem(await start(user, id, 'x'.repeat(300_000)), 'too_large');
  });

  it('points at each part of a bad body', async () => {
    const conversationId = await conversationOf(user);
    const input = { text: 'x' };
    const before = await eventCount(deployment);
    const deep = { type: 'object', properties: { a: { type: 'string', pattern: '^a' } } };
    const bad: [object, string[]][] = [
      [{}, ['/conversationId', '/input']],
      [{ conversationId }, ['/input']],
      [{ conversationId: 'x', input }, ['/conversationId']],
      [{ conversationId: null, input }, ['/conversationId']],
      [{ conversationId, input: null }, ['/input']],
      [{ conversationId, input: [] }, ['/input']],
      [{ conversationId, input: {} }, ['/input/text']],
      [{ conversationId, input: { text: '' } }, ['/input/text']],
      [{ conversationId, input: { text: 7, a: 1 } }, ['/input/a', '/input/text']],
      [{ conversationId, input: { text: 'x', artifactIds: 'x' } }, ['/input/artifactIds']],
      [{ conversationId, input: { text: 'x', artifactIds: [missingId, 'x'] } }, ['/input/artifactIds/1']],
      [{ conversationId, input: { text: 'x', artifactIds: Array(11).fill(missingId) } }, ['/input/artifactIds']],
      [{ conversationId, input: { text: 'x', artifactIds: [missingId] } }, ['/input/artifactIds/0']],
      [{ conversationId, input, runId: 'x' }, ['/runId']],
      [{ conversationId, input: { text: null }, runId: null, profile: null }, ['/input/text']],
      [{ conversationId, input, origin: 'automation' }, ['/origin']],
      [{ conversationId, input, profile: [] }, ['/profile']],
      [{ conversationId, input, profile: { model: 'gpt-0' } }, ['/profile/model']],
      [{ conversationId, input, profile: { model: '' } }, ['/profile/model']],
      [{ conversationId, input, profile: { instructions: 'x'.repeat(8_193) } }, ['/profile/instructions']],
      [{ conversationId, input, profile: { tools: Array(65).fill('current_time') } }, ['/profile/tools']],
      [{ conversationId, input, profile: { tools: ['current_time', 1] } }, ['/profile/tools/1']],
      [{ conversationId, input, profile: { maxSteps: 0 } }, ['/profile/maxSteps']],
      [{ conversationId, input, profile: { maxSteps: 51 } }, ['/profile/maxSteps']],
      [{ conversationId, input, profile: { maxSteps: 1.5 } }, ['/profile/maxSteps']],
      [{ conversationId, input, profile: { maxSteps: '1' } }, ['/profile/maxSteps']],
      [{ conversationId, input, profile: { outputSchema: deep } }, ['/profile/outputSchema']],
      [{ conversationId, input, profile: { outputSchema: true } }, ['/profile/outputSchema']],
      [{ conversationId, input, profile: { outputSchema: { $ref: '#' } } }, ['/profile/outputSchema']],
      [
        { conversationId, input, profile: { outputSchema: { description: 'x'.repeat(16_384) } } },
        ['/profile/outputSchema'],
      ],
    ];
    for (const [body, at] of bad) expectProblem(await user.post('/agent-runs', body), 'invalid_input', { at });
    expectProblem(await user.post('/agent-runs'), 'invalid_input', { at: ['/conversationId', '/input'] });
    expectProblem(await user.post('/agent-runs', []), 'invalid_input', { at: [''] });
    expectProblem(await user.post('/agent-runs?wait=1', { conversationId, input }), 'invalid_input', { at: ['/wait'] });
    expect(await eventCount(deployment)).toBe(before);
  });
});

describe('a runId that is used again', () => {
  it('answers the recorded run, whatever the rest says, while it lives and after its end', async () => {
    const id = await conversationOf(user);
    const runId = randomUUID();
    await startLongRun(user, id, { runId });
    const live = await there.post('/agent-runs', { conversationId: id, runId, input: 7, profile: 'none', more: 1 });
    expect([live.status, live.body]).toEqual([
      202,
      { runId, conversationId: id, status: expect.stringMatching('queued|running'), seq: 2 },
    ]);
    await user.post(`/agent-runs/${runId}/abort`);
    const ended = await there.post('/agent-runs', { conversationId: id, runId: runId.toUpperCase() });
    expect([ended.status, ended.body]).toEqual([202, { runId, conversationId: id, status: 'aborted', seq: 2 }]);
    await say(user, id);
    expect((await start(user, id, 'x', { runId })).body).toMatchObject({ status: 'aborted', seq: 2 });
    expect((await user.get<Listed>(`/agent-runs?conversationId=${id}`)).body.total).toBe(2);
  });

  it('under another conversation is refused, also when no run came of it', async () => {
    const [one, two] = [await conversationOf(user), await conversationOf(user)];
    const runId = randomUUID();
    await say(user, one, undefined, { runId });
    expectProblem(await start(there, two, 'x', { runId }), 'invalid_input', { at: ['/runId'] });
    const refused = randomUUID();
    const live = await startLongRun(user, one);
    expectProblem(await start(user, one, 'x', { runId: refused }), 'run_active');
    expectProblem(await start(there, two, 'x', { runId: refused }), 'invalid_input', { at: ['/runId'] });
    expectProblem(await user.get(`/agent-runs/${refused}`), 'not_found');
    expectProblem(await user.post(`/agent-runs/${refused}/abort`), 'not_found');
    await user.post(`/agent-runs/${live}/abort`);
    expect(await say(there, one, undefined, { runId: refused })).toMatchObject({ id: refused, status: 'completed' });
  });

  it('is another run under another user', async () => {
    const stranger = await deployment.newUser();
    const runId = randomUUID();
    const [mine, theirs] = [await conversationOf(user), await conversationOf(stranger)];
    await say(user, mine, 'repeat after me: mine', { runId });
    await say(stranger, theirs, 'repeat after me: theirs', { runId });
    expect((await user.get(`/agent-runs/${runId}`)).body['response']).toMatchObject({ text: 'mine' });
    expect((await stranger.get(`/agent-runs/${runId}`)).body['response']).toMatchObject({ text: 'theirs' });
  });
});
