import { setTimeout as sleep } from 'node:timers/promises';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import {
  conversationOf,
  expectProblem,
  journalTypes,
  start,
  startLongRun,
  startStuckRun,
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

describe('a run whose worker does nothing', () => {
  it('cannot confirm a stop: aborts say so after 20 s, the conversation stays taken, and the stop goes on', async () => {
    const id = await conversationOf(user);
    const { runId, free } = await startStuckRun(deployment, user, id);
    const stops = Promise.all([user, there, user].map((client) => client.post(`/agent-runs/${runId}/abort`)));
    await sleep(500);
    expect((await there.get(`/agent-runs/${runId}`)).body).toMatchObject({ status: 'stopping' });
    expect((await there.get(`/conversations/${id}`)).body).toMatchObject({ status: 'running', liveRunId: runId });
    expectProblem(await start(there, id), 'run_active');
    expectProblem(await there.post(`/conversations/${id}/archive`), 'run_active');
    for (const answer of await stops) expectProblem(answer, 'stop_pending');
    await free();
    expect(await untilEnded(user, runId)).toMatchObject({ status: 'aborted', response: null });
    const types = await journalTypes(user, id);
    expect(types.slice(1)).toEqual(['run.started', 'run.claimed', 'run.stopping', 'run.claimed', 'run.ended']);
    expect((await user.post(`/agent-runs/${runId}/abort`)).body).toEqual({ aborted: false });
    const next = await startLongRun(user, id);
    expect((await there.post(`/agent-runs/${next}/abort`)).body).toEqual({ aborted: true });
  });
});
