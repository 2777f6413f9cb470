import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  answered,
  conversationOf,
  eventCount,
  expectProblem,
  holdFirstSegment,
  journal,
  journalTypes,
  missingId,
  say,
  silenceWorkers,
  sql,
  start,
  startLongRun,
  untilEnded,
  untilStatus,
} from '@app/testing/journeys';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';

let deployment: Deployment;
let user: TestClient;
let there: TestClient;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 } });
  user = await deployment.newUser();
  there = user.via(deployment.baseUrls[1] ?? '');
});
afterAll(() => deployment.stop());

const abort = (client: TestClient, runId: string, body?: object) => client.post(`/agent-runs/${runId}/abort`, body);

/** A run that stays queued: its lease belongs to a worker that does nothing. */
async function queuedRun(conversationId: string): Promise<string> {
  const runId = randomUUID();
  await holdFirstSegment(deployment, user, { conversationId, runId });
  await start(user, conversationId, 'help', { runId });
  return runId;
}

describe('runs.abort', () => {
  it('ends a running run, and answers when its end can be read everywhere', async () => {
    const id = await conversationOf(user);
    const reader = await user.stream(`/conversations/${id}/stream`);
    const runId = await startLongRun(user, id);
    await reader.untilEvent('agent.text_delta');
    await reader.close();
    const answer = await abort(there, runId);
    expect([answer.status, answer.body]).toEqual([200, { aborted: true }]);
    expect((await user.get(`/agent-runs/${runId}`)).body).toMatchObject({ status: 'aborted' });
    expect((await user.get(`/conversations/${id}`)).body).toMatchObject({ status: 'idle', liveRunId: null });
    // The text that was shown stays.
    const ended = (await journal(there, id)).slice(2).map(({ payload }) => payload);
    expect(ended.map(({ type }) => type)).toEqual(['run.stopping', 'agent.step', 'agent.message', 'run.ended']);
    expect(ended[2]).toMatchObject({ truncated: true, text: expect.stringMatching(/^(word )+$/) as string });
    expect(await say(there, id)).toMatchObject({ status: 'completed' });
  });

  it('ends a queued run by itself', async () => {
    const id = await conversationOf(user);
    const runId = await queuedRun(id);
    expect((await user.get(`/agent-runs/${runId}`)).body).toMatchObject({ status: 'queued', startedAt: null });
    expect((await abort(there, runId)).body).toEqual({ aborted: true });
    expect((await user.get(`/agent-runs/${runId}`)).body).toMatchObject({ status: 'aborted', startedAt: null });
    expect(await journalTypes(user, id)).toEqual(['conversation.created', 'run.started', 'run.ended']);
    expect(await say(user, id)).toMatchObject({ status: 'completed' });
  });

  it('changes nothing about a run that has ended', async () => {
    const id = await conversationOf(user);
    const run = await say(user, id);
    const before = await eventCount(deployment);
    for (const seen of [user, there])
      expect((await abort(seen, String(run['id']), {})).body).toEqual({ aborted: false });
    expect((await abort(user, String(run['id']).toUpperCase())).body).toEqual({ aborted: false });
    expect(await eventCount(deployment)).toBe(before);
    expect((await user.get(`/agent-runs/${String(run['id'])}`)).body).toEqual(run);
  });

  it('is true for exactly one of many at once', async () => {
    for (const make of [startLongRun, (_: TestClient, id: string) => queuedRun(id)]) {
      const id = await conversationOf(user);
      const runId = await make(user, id);
      // On a busy machine some get the answer that the stream is busy, and ask again.
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => answered(() => abort(n % 2 ? user : there, runId))),
      );
      expect(answers.filter(({ body }) => body['aborted'] === true)).toHaveLength(1);
      const types = await journalTypes(user, id);
      expect(types.filter((type) => type === 'run.ended')).toHaveLength(1);
      expect(types.filter((type) => type === 'run.stopping').length).toBeLessThanOrEqual(1);
    }
  });

  it('races the end of the run without ever lying', async () => {
    for (let round = 0; round < 6; round += 1) {
      const id = await conversationOf(user);
      const { body } = await start(user, id, 'repeat after me: a b c');
      await sleep(40 * round);
      const { aborted } = (await abort(there, body.runId)).body;
      const run = await untilEnded(user, body.runId);
      expect([round, run['status']]).toEqual([round, aborted === true ? 'aborted' : 'completed']);
    }
  });

  it('records nothing while no worker is heard of', async () => {
    const id = await conversationOf(user);
    const runId = await startLongRun(user, id);
    await untilStatus(user, runId, 'running');
    const before = await eventCount(deployment);
    await silenceWorkers(deployment);
    const answer = await abort(user, runId);
    await sql(deployment, 'UPDATE processes SET worker = true');
    expectProblem(answer, 'execution_unavailable');
    expect(await eventCount(deployment)).toBe(before);
    expect((await abort(user, runId)).body).toEqual({ aborted: true });
  });

  it('knows only runs of the user, and takes no body', async () => {
    const stranger = await deployment.newUser();
    const runId = await startLongRun(user, await conversationOf(user));
    for (const id of [missingId, 'x', runId.slice(1)]) expectProblem(await abort(user, id), 'not_found');
    expectProblem(await abort(stranger, runId), 'not_found');
    expectProblem(await abort(user, runId, { reason: 'tired' }), 'invalid_input', { at: ['/reason'] });
    expect((await user.get(`/agent-runs/${runId}`)).body).not.toMatchObject({ status: 'aborted' });
    expect((await abort(user, runId)).body).toEqual({ aborted: true });
  });
});
