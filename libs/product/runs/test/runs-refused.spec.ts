import { randomUUID } from 'node:crypto';
import { CommandBus } from '@nestjs/cqrs';
import { Budgets } from '@app/budget';
import { PauseControl, ResumeControl } from '@app/deployment';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import {
  byOperator,
  conversationOf,
  expectProblem,
  missingId,
  partOf,
  raw,
  say,
  silenceWorkers,
  sql,
  start,
  startLongRun,
  untilEnded,
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

describe('runs.start is refused', () => {
  const control = () => ({ control: 'runs', ...byOperator(user) }) as const;
  const pause = () => partOf(deployment, CommandBus).execute(new PauseControl(control()));
  const resume = () => partOf(deployment, CommandBus).execute(new ResumeControl(control()));

  it('in the documented order', async () => {
    const someone = await deployment.newUser();
    const id = await conversationOf(someone);
    const other = await conversationOf(someone);
    const budgets = partOf(deployment, Budgets);
    const [runId, used] = [randomUUID(), randomUUID()];
    await say(someone, other, undefined, { runId: used });
    const profile = { model: 'gpt-0', tools: ['rm_rf'], maxSteps: 99 };
    const body: Record<string, unknown> = { conversationId: missingId, runId: used, input: { text: '' }, profile };
    const refusal = async () => someone.post('/agent-runs', body);
    // Everything is wrong; each step corrects the refused part.
    const live = await startLongRun(someone, id);
    const reader = await someone.stream(`/conversations/${id}/stream`);
    await reader.untilEvent('agent.text_delta');
    await reader.close();
    await budgets.freeze(byOperator(someone));
    await pause();
    await silenceWorkers(deployment);
    try {
      expectProblem(await refusal(), 'invalid_input', { at: ['/runId'] });
      body['runId'] = runId;
      expectProblem(await refusal(), 'not_found');
      body['conversationId'] = id;
      expectProblem(await refusal(), 'invalid_input', { at: ['/input/text', '/profile/maxSteps'] });
      body['input'] = { text: 'x', artifactIds: [missingId] };
      profile.maxSteps = 3;
      expectProblem(await refusal(), 'profile_unknown_tool');
      profile.tools = [];
      expectProblem(await refusal(), 'invalid_input', { at: ['/profile/model'] });
      profile.model = 'parley/rules';
      expectProblem(await refusal(), 'invalid_input', { at: ['/input/artifactIds/0'] });
      body['input'] = { text: 'repeat after me: x' };
      expectProblem(await refusal(), 'deployment_paused');
      await resume();
      expectProblem(await refusal(), 'run_active');
      await sql(deployment, 'UPDATE processes SET worker = true');
      await someone.post(`/agent-runs/${live}/abort`);
      await silenceWorkers(deployment);
      expectProblem(await refusal(), 'execution_unavailable');
      await sql(deployment, 'UPDATE processes SET worker = true');
      expectProblem(await refusal(), 'budget_exhausted', { retryable: false });
      await budgets.unfreeze(byOperator(someone));
      expect(await refusal()).toMatchObject({ status: 202, body: { runId, conversationId: id } });
      await untilEnded(someone, runId);
    } finally {
      await sql(deployment, 'UPDATE processes SET worker = true');
      await resume();
    }
  });

  it('while the deployment is paused, though a replay is answered', async () => {
    const id = await conversationOf(user);
    const run = await say(user, id);
    await pause();
    for (const seen of [user, there]) expectProblem(await start(seen, id), 'deployment_paused');
    expect((await start(there, id, 'x', { runId: run['id'] })).status).toBe(202);
    await resume();
    expect((await start(there, id)).status).toBe(202);
  });

  it('while the store of slots does not answer, and holds nothing for it', async () => {
    const someone = await deployment.newUser();
    const id = await conversationOf(someone);
    const [kept] = await sql<{ text: string }>(
      deployment,
      `SELECT pg_get_functiondef('take_execution_slots'::regproc) AS text`,
    );
    await sql(
      deployment,
      `CREATE OR REPLACE FUNCTION take_execution_slots(
         runs uuid[], segments integer[], run_ids uuid[], conversations uuid[], users uuid[],
         worker uuid, lease_ms integer, user_share integer, chosen_shard integer, shard_size integer)
       RETURNS TABLE (place bigint, outcome text) LANGUAGE plpgsql
       AS $$ BEGIN RAISE EXCEPTION 'away' USING ERRCODE = '57P03'; END $$`,
    );
    const before = (await someone.get('/budget')).body;
    const refused = await start(someone, id);
    const after = (await someone.via(there.baseUrl).get('/budget')).body;
    await sql(deployment, kept?.text ?? '');
    expect(refused).toMatchObject({ status: 503, body: { reason: 'engine_unavailable', retryable: true } });
    expect(after).toEqual(before);
    expect(await say(someone, id)).toMatchObject({ status: 'completed' });
  });

  it('with a body that is no JSON, or no JSON object', async () => {
    const headers = { 'content-type': 'application/json' };
    for (const body of ['{"conversationId":', '[]', 'null', '{"a":1,"a":1}', `${'['.repeat(40)}${']'.repeat(40)}`]) {
      expectProblem(await raw(user, 'POST', '/agent-runs', { body, headers }), 'invalid_input');
    }
    const form = { body: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    expectProblem(await raw(user, 'POST', '/agent-runs', form), 'invalid_input', { at: [''] });
  });
});
