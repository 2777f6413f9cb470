import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Transact } from '@app/event-store';
import { conversationKind } from '@app/conversations';
import { asId, Clock, type RunId } from '@app/kernel';
import { CommandBus } from '@nestjs/cqrs';
import { v5 as uuidV5 } from 'uuid';
import { startDeployment, type Deployment } from '../support/deployment';
import type { TestClient } from '../support/deployment-client';
import {
  byOperator,
  conversationOf,
  expectProblem,
  journalTypes,
  partOf,
  sql,
  start,
  startLongRun,
  untilEnded,
} from './journeys';

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
  /** Claimed in the journal and leased, by a worker that is not there. */
  async function stuckRun(id: string): Promise<string> {
    const runId = randomUUID();
    const lease = `INSERT INTO run_leases VALUES ($1, $2, now() + interval '2 minutes')`;
    await sql(deployment, lease, [uuidV5(runId, user.userId), randomUUID()]);
    await start(user, id, 'repeat after me: late', { runId });
    const { cause } = byOperator(user);
    const at = partOf(deployment, Clock).now();
    const claim = { type: 'ClaimRun', at, runId: asId<RunId>(runId), segment: 1 } as const;
    await partOf(deployment, CommandBus).execute(new Transact(conversationKind, id, claim, cause));
    return runId;
  }

  it('cannot confirm a stop: aborts say so after 20 s, the conversation stays taken, and the stop goes on', async () => {
    const id = await conversationOf(user);
    const runId = await stuckRun(id);
    const stops = Promise.all([user, there, user].map((client) => client.post(`/agent-runs/${runId}/abort`)));
    await sleep(500);
    expect((await there.get(`/agent-runs/${runId}`)).body).toMatchObject({ status: 'stopping' });
    expect((await there.get(`/conversations/${id}`)).body).toMatchObject({ status: 'running', liveRunId: runId });
    expectProblem(await start(there, id), 'run_active');
    expectProblem(await there.post(`/conversations/${id}/archive`), 'run_active');
    for (const answer of await stops) expectProblem(answer, 'stop_pending');
    await sql(deployment, `UPDATE run_leases SET expires_at = '2020-01-01' WHERE run_key = $1`, [
      uuidV5(runId, user.userId),
    ]);
    expect(await untilEnded(user, runId)).toMatchObject({ status: 'aborted', response: null });
    const types = await journalTypes(user, id);
    expect(types.slice(1)).toEqual(['run.started', 'run.claimed', 'run.stopping', 'run.claimed', 'run.ended']);
    expect((await user.post(`/agent-runs/${runId}/abort`)).body).toEqual({ aborted: false });
    const next = await startLongRun(user, id);
    expect((await there.post(`/agent-runs/${next}/abort`)).body).toEqual({ aborted: true });
  }, 60_000);
});
