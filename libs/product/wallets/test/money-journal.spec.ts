/** Money in the journal, in lists of approvals, and in receipts that prove it (docs/decisions/approvals.md and docs/decisions/journal.md). */
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import {
  allPages,
  anInstant,
  type Approval,
  approve,
  asking,
  aUuid,
  confirm,
  conversationOf,
  expectProblem,
  journal,
  type Listed,
  moveClock,
  newOwner,
  outcomeOf,
  prepare,
  prompt,
  untilEnded,
  untilOperation,
  usdc,
} from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { verified } from './verified';

let deployment: Deployment;
let user: TestClient;
let conversationId: string;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'silent', BUDGET_DAY_CENTS: '100000' } });
  await deployment.sandbox('PUT', 'faults', { provider: prompt, model: { delayMs: 0 } });
});
beforeEach(async () => {
  user = await newOwner(deployment);
  conversationId = await conversationOf(user);
});
afterAll(() => deployment.stop());

/** The run of an approved withdrawal, up to the settlement in its conversation's stream. */
async function approved(): Promise<{ runId: string; approval: Approval }> {
  const { runId, approval } = await asking(user, conversationId, 'withdraw 1.5 USDC');
  expect((await approve(user, approval)).status).toBe(200);
  await untilEnded(user, runId);
  const stream = await user.stream(`/conversations/${conversationId}/stream`);
  await stream.untilEvent('settlement.updated');
  await stream.close();
  return { runId, approval };
}

describe('the journal of an approved withdrawal', () => {
  it('has every event once, in order, with the members that are specified and no others', async () => {
    const { runId, approval } = await approved();
    const operation = await outcomeOf(user, approval.id);
    const usage = {
      inputTokens: expect.any(Number) as number,
      cachedInputTokens: 0,
      outputTokens: expect.any(Number) as number,
      estimated: false,
    };
    const step = (number: number) => ({
      type: 'agent.step',
      at: anInstant,
      runId,
      step: number,
      model: 'parley/rules',
      usage: { ...usage, costCents: expect.any(Number) as number },
    });
    const payloads = (await journal(user, conversationId)).map(({ payload }) => payload);
    // The worker and the copies append in parallel: each in its own order.
    const copies = payloads.filter(isCopy);
    const [balances, transfer] = [`${runId}/1/0`, `${runId}/2/0`];
    expect(payloads.filter((payload) => !isCopy(payload)).slice(1)).toEqual([
      expect.objectContaining({ type: 'run.started', runId }) as object,
      step(1),
      { type: 'tool.called', at: anInstant, runId, toolCallId: balances, tool: 'wallet_balances', input: {} },
      {
        type: 'tool.returned',
        at: anInstant,
        runId,
        toolCallId: balances,
        outcome: 'ok',
        result: { assets: expect.any(Array) as object[], asOf: anInstant },
      },
      step(2),
      {
        type: 'tool.called',
        at: anInstant,
        runId,
        toolCallId: transfer,
        tool: 'intents_transfer',
        input: approval['input'],
      },
      {
        type: 'approval.opened',
        at: anInstant,
        approvalId: approval.id,
        kind: 'agent_tool',
        tool: 'intents_transfer',
        fingerprint: approval.fingerprint,
        runId,
        expiresAt: approval.expiresAt,
      },
      {
        type: 'run.suspended',
        at: anInstant,
        runId,
        segment: 1,
        approvalIds: [approval.id],
        usage: { ...usage, costCents: 2 },
      },
      {
        type: 'approval.decided',
        at: anInstant,
        approvalId: approval.id,
        status: 'approved',
        decidedBy: 'user',
        denialReason: null,
      },
      { type: 'run.resumed', at: anInstant, runId, segment: 2, approvalIds: [approval.id] },
      {
        type: 'tool.returned',
        at: anInstant,
        runId,
        toolCallId: transfer,
        outcome: 'ok',
        result: { operationId: operation.id, status: expect.stringMatching(/^(submitted|settled)$/) as string },
      },
      step(3),
      {
        type: 'agent.message',
        at: anInstant,
        runId,
        messageId: aUuid,
        text: expect.any(String) as string,
        truncated: false,
      },
      expect.objectContaining({ type: 'run.ended', runId, status: 'completed', failure: null }) as object,
    ]);
    expect(copies).toEqual([
      { type: 'operation.submitted', at: anInstant, operationId: operation.id, runId, approvalId: approval.id },
      {
        type: 'settlement.updated',
        at: anInstant,
        operationId: operation.id,
        status: 'settled',
        actions: operation.actions,
        failure: null,
      },
    ]);
  });

  it('carries the request of the start, then that of the decision', async () => {
    const { runId } = await approved();
    const events = await journal(user, conversationId);
    const requestOf = (type: string) => events.find(({ payload }) => payload['type'] === type)?.requestId;
    const before = requestOf('run.started');
    const after = requestOf('approval.decided');
    expect(after).not.toBe(before);
    expect(requestOf('approval.opened')).toBe(before);
    for (const type of ['run.resumed', 'run.ended', 'operation.submitted', 'settlement.updated']) {
      expect([type, requestOf(type)]).toEqual([type, after]);
    }
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect((await user.get(`/agent-runs/${runId}`)).body).toMatchObject({ segment: 2 });
  });
});

describe('approvals.list', () => {
  it('has all of a user’s approvals by status, newest first, counted, page by page', async () => {
    const ids: Record<string, string> = {};
    for (const text of ['withdraw 1 USDC', 'withdraw 2 USDC', 'withdraw 3 USDC', 'withdraw 4 USDC']) {
      ids[text] = (await asking(user, await conversationOf(user), text)).approval.id;
    }
    const [expired, denied, ok] = [ids['withdraw 1 USDC'], ids['withdraw 2 USDC'], ids['withdraw 3 USDC']];
    const prepared = (await prepare(user, usdc, '1')).approvalId;
    const pending = [prepared, ids['withdraw 4 USDC'], ok, denied, expired];
    const list = (query: string) => user.get<Listed<{ id: string }>>(`/approvals${query}`);
    const listed = async (query: string) => {
      const { data, total } = (await list(query)).body;
      return [data.map(({ id }) => id), total];
    };
    expect(await listed('')).toEqual([pending, 5]);
    expect((await user.post(`/approvals/${denied}/deny`)).status).toBe(200);
    await approveById(ok);
    const [run] = (await user.get<Listed>(`/agent-runs?limit=100`)).body.data.filter(
      ({ pendingApprovalIds }) => (pendingApprovalIds as string[]).includes(expired ?? ''), // reason: a run's member
    );
    await user.post(`/agent-runs/${String(run?.['id'])}/abort`);
    expect(await listed('?status=denied')).toEqual([[denied], 1]);
    expect(await listed('?status=approved')).toEqual([[ok], 1]);
    expect(await listed('?status=expired')).toEqual([[expired], 1]);
    expect(await listed('?status=pending')).toEqual([pending.slice(0, 2), 2]);
    expect(await listed('?status=all')).toEqual([pending, 5]);
    const { pages, items } = await allPages(user, '/approvals?status=all&limit=2');
    expect([pages.length, items.map(({ id }) => id)]).toEqual([3, pending]);
    expectProblem(await list(`?cursor=${pages[0]?.nextCursor}`), 'invalid_cursor');
    expectProblem(await list('?status=open'), 'invalid_input', { at: ['/status'] });
    expectProblem(await list('?limit=101'), 'invalid_input', { at: ['/limit'] });
    await moveClock(deployment, 901);
    expect(await listed('?status=expired')).toEqual([[prepared, expired], 2]);
  });

  async function approveById(id: string | undefined): Promise<void> {
    const { body } = await user.get<Approval>(`/approvals/${id}`);
    expect((await approve(user, body)).status).toBe(200);
    await untilEnded(user, String(body['runId']));
    await outcomeOf(user, body.id);
  }
});

describe('approvals.receipt', () => {
  it('proves a settled transfer, offline, and nothing that was altered', async () => {
    const { approval } = await approved();
    const { status, body } = await user.get(`/approvals/${approval.id}/receipt`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ approval: { id: approval.id, status: 'approved' }, operation: { status: 'settled' } });
    expect(await verified(body)).toMatchObject({ code: 0, said: expect.stringMatching(/^HOLDS/) as string });
    const key = (await fetch(`${deployment.baseUrls[0]}/transparency/key`).then((response) => response.text())).trim();
    const byKey = await until('a receipt whose events are all in the log', async () => {
      const { code, said } = await verified((await user.get(`/approvals/${approval.id}/receipt`)).body, '--key', key);
      return code === 0 ? said : null;
    });
    expect(byKey).toMatch(/proven +(\d+) of \1 events are in the log parley/);
    expect(byKey).toMatch(/proven +parley\/\S+ signed its checkpoint/);
    expect(await verified(body, '--key', key.replace(/.$/, ''))).toMatchObject({ code: 2 });
    const altered = JSON.parse(JSON.stringify(body).replace('"1500000"', '"2500000"')) as unknown;
    expect(altered).not.toEqual(body);
    expect(await verified(altered)).toMatchObject({ code: 1, said: expect.stringMatching(/^DOES NOT HOLD/) as string });
  });

  it('proves a direct withdrawal, a denial, and what still waits', async () => {
    const asked = await prepare(user, usdc, '1');
    expect((await confirm(user, asked)).status).toBe(202);
    await untilOperation(user, asked.operationId);
    const denied = await asking(user, conversationId, 'withdraw 1 USDC');
    expect((await user.post(`/approvals/${denied.approval.id}/deny`, { reason: 'no' })).status).toBe(200);
    await untilEnded(user, denied.runId);
    const waiting = await asking(user, conversationId, 'withdraw 1 USDC');
    for (const id of [asked.approvalId, denied.approval.id, waiting.approval.id]) {
      const { body } = await user.get(`/approvals/${id}/receipt`);
      expect(await verified(body)).toMatchObject({ code: 0, said: expect.stringMatching(id) as string });
    }
  });
});

function isCopy({ type }: Record<string, unknown>): boolean {
  return type === 'operation.submitted' || type === 'settlement.updated';
}
