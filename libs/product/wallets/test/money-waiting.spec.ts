/**
 * Runs that wait for several decisions: in sequence, in parallel, or next to another run (docs/decisions/runs.md and
 * docs/decisions/approvals.md).
 */
import { randomUUID } from 'node:crypto';
import { auditMoney } from '@app/testing/audits';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import {
  approvalOf,
  approve,
  asking,
  conversationOf,
  expectProblem,
  holdings,
  journal,
  journalTypes,
  leavesNoTrace,
  moveClock,
  newOwner,
  operationsOf,
  outcomeOf,
  pendingOf,
  prompt,
  silenceWorkers,
  sql,
  startLongRun,
  startStuckRun,
  untilEnded,
  untilStatus,
  usdc,
} from '@app/testing/journeys';
import { cannotBeDecided, carriesOn, deny, resumesIn, staysPending, threeTransfers } from './waiting-transfers';

let deployment: Deployment;
let user: TestClient;
let conversationId: string;
beforeAll(async () => {
  const env = { LOG_LEVEL: 'silent', BUDGET_DAY_CENTS: '100000', EXECUTION_CAPACITY: '3' };
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 }, env });
  await deployment.sandbox('PUT', 'faults', { provider: prompt, model: { delayMs: 0 } });
});
beforeEach(async () => {
  user = await newOwner(deployment);
  conversationId = await conversationOf(user);
});
afterEach(async () => {
  expect(await auditMoney(deployment)).toEqual([]);
});
afterAll(() => deployment.stop());

describe('one transfer and then another', () => {
  it('asks twice, in segments 1, 2 and 3 of the same run', async () => {
    const { runId, approval } = await asking(user, conversationId, 'swap 5 USDC to NEAR and then withdraw 1 USDC');
    expect(approval).toMatchObject({ contract: { actions: [{ kind: 'swap' }] } });
    expect((await approve(user, approval)).status).toBe(200);
    const next = await pendingOf(user, runId);
    expect(next.id).not.toBe(approval.id);
    expect(next).toMatchObject({ runId, contract: { actions: [{ kind: 'withdraw_to_owner' }] } });
    expect((await user.get(`/agent-runs/${runId}`)).body).toMatchObject({ segment: 2 });
    expect((await approve(user, next)).status).toBe(200);
    expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed', segment: 3, usage: { costCents: 4 } });
    for (const { id } of [approval, next]) expect(await outcomeOf(user, id)).toMatchObject({ status: 'settled' });
    expect((await holdings(user))[usdc]).toBe('244000000');
    const { body } = await user.get<{ snapshots: object[] }>('/budget');
    const spent = { reservedCents: 0, spentCents: 4 };
    expect(body.snapshots).toMatchObject([spent, spent]);
  });
});

describe('several transfers side by side', () => {
  it('are opened in one append; only the last decision resumes the run, and what was denied is not done', async () => {
    const { runId, approvals } = await threeTransfers(user, conversationId);
    const [first, second, third] = approvals;
    expect((await journalTypes(user, conversationId)).slice(-4)).toEqual([
      'approval.opened',
      'approval.opened',
      'approval.opened',
      'run.suspended',
    ]);
    expect((await user.get(`/conversations/${conversationId}`)).body).toMatchObject({ pendingApprovals: 3 });
    expect((await approve(user, first)).status).toBe(200);
    expect((await deny(user, second)).status).toBe(200);
    expect((await user.get(`/agent-runs/${runId}`)).body).toMatchObject({
      status: 'awaiting_approval',
      segment: 1,
      pendingApprovalIds: [third.id],
    });
    expect(await operationsOf(user)).toEqual([]);
    expect((await approve(user, third)).status).toBe(200);
    expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed', segment: 2 });
    expect(await outcomeOf(user, first.id)).toMatchObject({ status: 'settled' });
    expect(await outcomeOf(user, third.id)).toMatchObject({ status: 'settled' });
    expect(await operationsOf(user)).toHaveLength(2);
    expect((await holdings(user))[usdc]).toBe('246000000');
    const approvalIds = approvals.map(({ id }) => id);
    expect(await resumesIn(user, conversationId)).toMatchObject([{ segment: 2, approvalIds }]);
  });

  it('decided all at once, over two replicas: one resume', async () => {
    const { runId, approvals } = await threeTransfers(user, conversationId);
    const there = user.via(deployment.baseUrls[1] ?? '');
    const answers = await Promise.all(
      approvals.flatMap((approval) => [approve(user, approval), approve(there, approval)]),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 409, 409, 409]);
    expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed', segment: 2 });
    for (const { id } of approvals) expect(await outcomeOf(user, id)).toMatchObject({ status: 'settled' });
    expect((await holdings(user))[usdc]).toBe('244000000');
    expect(await resumesIn(user, conversationId)).toHaveLength(1);
  });

  it('one of which expires: the run ends, and what was approved before is not done', async () => {
    const { runId, approvals } = await threeTransfers(user, conversationId);
    const [first, ...others] = approvals;
    expect((await approve(user, first)).status).toBe(200);
    await moveClock(deployment, 86_401);
    expect((await user.get(`/agent-runs/${runId}`)).body).toMatchObject({
      status: 'failed',
      segment: 1,
      failure: { reason: 'approval_expired' },
    });
    expect(await approvalOf(user, first.id)).toMatchObject({ status: 'approved', operationId: null });
    const ended = await Promise.all(others.map(({ id }) => approvalOf(user, id)));
    expect(ended.map(({ endedReason }) => endedReason).sort()).toEqual(['run_ended', 'timeout']);
    expect((await journalTypes(user, conversationId)).slice(-6)).toEqual([
      'approval.expired',
      'approval.expired',
      'tool.returned',
      'tool.returned',
      'tool.returned',
      'run.ended',
    ]);
    expect(await operationsOf(user)).toEqual([]);
  });
});

describe('two runs of one conversation that wait', () => {
  it('are decided one after the other, in either order', async () => {
    const one = await asking(user, conversationId, 'withdraw 1 USDC');
    const other = await asking(user, conversationId, 'withdraw 2 USDC');
    expect((await user.get(`/conversations/${conversationId}`)).body).toMatchObject({
      status: 'awaiting_approval',
      liveRunId: null,
      pendingApprovals: 2,
    });
    for (const { runId, approval } of [other, one]) {
      expect((await approve(user, approval)).status).toBe(200);
      expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed', segment: 2 });
    }
    for (const { approval } of [one, other]) {
      expect(await outcomeOf(user, approval.id)).toMatchObject({ status: 'settled' });
    }
    expect((await holdings(user))[usdc]).toBe('247000000');
  });

  it('one is aborted, and the other goes on', async () => {
    const one = await asking(user, conversationId, 'withdraw 1 USDC');
    const other = await asking(user, conversationId, 'withdraw 2 USDC');
    expect((await user.post(`/agent-runs/${one.runId}/abort`)).body).toEqual({ aborted: true });
    await carriesOn(user, other.runId, other.approval);
  });
});

describe('a decision that cannot resume its run is not recorded:', () => {
  it('run_active, while another run of the conversation is live; nor can the waiting one be aborted', async () => {
    const { runId, approval } = await asking(user, conversationId, 'withdraw 1 USDC');
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 60_000 } });
    const live = await startLongRun(user, conversationId);
    await untilStatus(user, live, 'running');
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
    const { seq: before } = (await journal(user, conversationId)).at(-1) ?? {};
    expectProblem(await approve(user, approval), 'run_active');
    expectProblem(await deny(user, approval), 'run_active');
    expectProblem(await user.post(`/agent-runs/${runId}/abort`), 'run_not_active');
    const wrong = { ...approval, fingerprint: `sha256:${'0'.repeat(64)}` };
    expectProblem(await approve(user, wrong), 'invalid_input', { at: ['/fingerprint'] });
    expect((await journal(user, conversationId)).at(-1)).toMatchObject({ seq: before });
    expect(await approvalOf(user, approval.id)).toMatchObject({ status: 'pending' });
    expect((await user.post(`/agent-runs/${live}/abort`)).body).toEqual({ aborted: true });
    expect((await deny(user, approval)).status).toBe(200);
    expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed', segment: 2 });
  });

  it('stop_pending, while the live run is being stopped', async () => {
    const { runId, approval } = await asking(user, conversationId, 'withdraw 1 USDC');
    const live = await startStuckRun(deployment, user, conversationId);
    const stopping = user.post(`/agent-runs/${live.runId}/abort`);
    await untilStatus(user, live.runId, 'stopping');
    await cannotBeDecided(deployment, user, approval, 'stop_pending');
    await live.free();
    expect((await stopping).body).toEqual({ aborted: true });
    await carriesOn(user, runId, approval);
  });

  it('execution_capacity, while no slot is free', async () => {
    const { runId, approval } = await asking(user, conversationId, 'withdraw 1 USDC');
    const taken = Array.from({ length: 3 }, () => randomUUID());
    for (const runKey of taken) {
      await sql(
        deployment,
        `INSERT INTO execution_slots (run_key, segment, run_id, conversation_id, user_id, shard, expires_at)
         VALUES ($1, 1, $1, $1, $1, 0, 'infinity')`,
        [runKey],
      );
    }
    await cannotBeDecided(deployment, user, approval, 'execution_capacity');
    await sql(deployment, 'DELETE FROM execution_slots WHERE run_key = ANY($1)', [taken]);
    await carriesOn(user, runId, approval);
  });

  it('execution_unavailable, while no worker is alive', async () => {
    const { runId, approval } = await asking(user, conversationId, 'withdraw 1 USDC');
    await silenceWorkers(deployment);
    try {
      await cannotBeDecided(deployment, user, approval, 'execution_unavailable');
    } finally {
      await sql(deployment, 'UPDATE processes SET worker = true');
    }
    await carriesOn(user, runId, approval);
  });

  it('nor is one with another approval’s fingerprint, or on what is missing, foreign or decided', async () => {
    const one = await asking(user, conversationId, 'withdraw 1 USDC');
    const other = await asking(user, conversationId, 'withdraw 1 USDC');
    const stranger = await newOwner(deployment);
    await staysPending(deployment, user, one.approval, async () => {
      const foreign = { ...one.approval, fingerprint: other.approval.fingerprint };
      expectProblem(await approve(user, foreign), 'invalid_input', { at: ['/fingerprint'] });
      expectProblem(await user.post(`/approvals/${one.approval.id}/approve`, {}), 'invalid_input', {
        at: ['/fingerprint'],
      });
      expectProblem(await approve(stranger, one.approval), 'not_found');
      expectProblem(await deny(stranger, one.approval), 'not_found');
      expectProblem(await deny(user, { ...one.approval, id: randomUUID() }), 'not_found');
      const long = { reason: 'x'.repeat(1_025) };
      expectProblem(await user.post(`/approvals/${one.approval.id}/deny`, long), 'invalid_input', { at: ['/reason'] });
    });
    await carriesOn(user, one.runId, one.approval);
    await leavesNoTrace(deployment, user, async () => {
      expectProblem(await deny(user, one.approval), 'approval_not_pending');
      expectProblem(await approve(user, one.approval), 'approval_not_pending');
    });
  });
});
