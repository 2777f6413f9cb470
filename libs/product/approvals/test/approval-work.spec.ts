import { decodeOwn, idInStream, EventStore } from '@app/event-store';
import { Database, ReadGate } from '@app/read-store';
import { verifyReceipt } from '@app/receipts';
import {
  type Approval,
  approvalOf,
  approve,
  asking,
  confirm,
  conversationOf,
  journal,
  moveClock,
  newOwner,
  type Operation,
  outcomeOf,
  partOf,
  pendingOf,
  prepare,
  prompt,
  providerFault,
  quiet,
  sql,
  untilStatus,
  usdc,
} from '@app/testing/journeys';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { applyBatch, emptyReadModel } from '@app/testing/read-models';
import { until } from '@app/testing/until';
import { approvalsReadModel } from '../src/approval/approvals.projection';
import { ExpireApprovals } from '../src/approval/expire-approvals';
import { OperationCopies } from '../src/operation-copies';

let deployment: Deployment;
let user: TestClient;
beforeAll(async () => (deployment = await startDeployment({ mode: 'in-process' })), 60_000);
beforeEach(async () => (user = await newOwner(deployment)));
afterAll(() => deployment.stop());

const receiptOf = async ({ id }: Pick<Approval, 'id'>) => (await user.get(`/approvals/${id}/receipt`)).body;
const untilJournaled = (conversationId: string, type: string) =>
  until(type, async () => (await journal(user, conversationId)).find(({ payload }) => payload.type === type));

describe('a direct withdrawal', () => {
  it('is denied here, and approved only by its confirmation', async () => {
    const prepared = await prepare(user, usdc, '1000000');
    const approval = await approvalOf(user, prepared.approvalId);
    expect(approval).toMatchObject({
      kind: 'withdrawal',
      tool: 'wallet_withdrawal',
      status: 'pending',
      fingerprint: prepared.fingerprint,
      input: { tokenId: usdc, amountRaw: '1000000' },
      operationId: prepared.operationId,
      conversationId: null,
      runId: null,
      toolCallId: null,
      automationId: null,
      expiresAt: prepared.expiresAt,
    });
    expect(await approve(user, approval)).toMatchObject({ status: 409, body: { reason: 'approval_not_pending' } });
    const denied = await user.post(`/approvals/${approval.id}/deny`, { reason: 'not now' });
    expect([denied.status, denied.body]).toEqual([200, { decided: true }]);
    const shown = { status: 'denied', decidedBy: 'user', denialReason: 'not now' };
    expect(await approvalOf(user, approval.id)).toMatchObject(shown);
    expect((await user.get(`/financial-operations/${prepared.operationId}`)).body).toMatchObject({ status: 'denied' });
    expect(await confirm(user, prepared)).toMatchObject({ status: 409, body: { reason: 'withdrawal_changed' } });
    const again = await user.post(`/approvals/${approval.id}/deny`);
    expect(again).toMatchObject({ status: 409, body: { reason: 'approval_not_pending' } });
    expect(verifyReceipt(await receiptOf(approval)).problems).toEqual([]);
  });

  it('expires at its instant', async () => {
    const prepared = await prepare(user, usdc, '1000000');
    const askedMs = performance.now();
    await moveClock(deployment, 1_000);
    const tookMs = performance.now() - askedMs;
    const approval = await approvalOf(user, prepared.approvalId);
    expect(approval).toMatchObject({ status: 'expired', endedReason: 'timeout', decidedAt: null });
    const operation = (await user.get<Operation>(`/financial-operations/${prepared.operationId}`)).body;
    expect(operation.status).toBe('expired');
    // The clock continues while it is moved.
    expect(Date.parse(String(operation['updatedAt'])) - Date.parse(prepared.expiresAt)).toBeLessThan(1_000 + tookMs);
    expect(verifyReceipt(await receiptOf(approval)).problems).toEqual([]);
  });

  it('is proven by its receipt to have been settled', async () => {
    const prepared = await prepare(user, usdc, '1000000');
    expect((await confirm(user, prepared)).status).toBe(202);
    await moveClock(deployment, 60);
    await quiet(deployment);
    const receipt = await receiptOf({ id: prepared.approvalId });
    expect(receipt).toMatchObject({ decision: { status: 'approved' }, operation: { status: 'settled' } });
    expect(verifyReceipt(receipt).problems).toEqual([]);
  });
});

describe("an agent's approval", () => {
  it('expires at its instant, with a run that continues the request that started it', async () => {
    const conversationId = await conversationOf(user);
    const { runId, approval } = await asking(user, conversationId, 'withdraw 1 USDC');
    const askedMs = performance.now();
    await moveClock(deployment, 86_400);
    const tookMs = performance.now() - askedMs;
    expect(await untilStatus(user, runId, 'failed')).toMatchObject({ failure: { reason: 'approval_expired' } });
    const events = await journal(user, conversationId);
    const started = events.find(({ payload }) => payload.type === 'run.started');
    const last = events.slice(-3);
    expect(last.map(({ payload }) => payload.type)).toEqual(['approval.expired', 'tool.returned', 'run.ended']);
    expect(new Set(last.map(({ requestId }) => requestId))).toEqual(new Set([started?.requestId]));
    expect(Date.parse(String(last[0]?.payload.at)) - Date.parse(approval.expiresAt)).toBeLessThan(1_000 + tookMs);
    expect(verifyReceipt(await receiptOf(approval)).problems).toEqual([]);
  });

  it('expires all the same when its timer was lost', async () => {
    const conversationId = await conversationOf(user);
    const { runId, approval } = await asking(user, conversationId, 'withdraw 1 USDC');
    await sql(deployment, 'DELETE FROM timers WHERE id = $1', [`approval/${approval.id}`]);
    const expiry = partOf(deployment, ExpireApprovals);
    expect(await expiry.sweep()).toBe(1);
    expect(await expiry.sweep()).toBe(0);
    await moveClock(deployment, 86_400);
    expect(await untilStatus(user, runId, 'failed')).toMatchObject({ failure: { reason: 'approval_expired' } });
  });

  it('stays pending when its timer comes early, and gets another', async () => {
    const conversationId = await conversationOf(user);
    const { approval } = await asking(user, conversationId, 'withdraw 1 USDC');
    const { lastSeq } = (await user.get(`/conversations/${conversationId}`)).body;
    await sql(deployment, 'UPDATE timers SET due_at_ms = 0 WHERE id = $1', [`approval/${approval.id}`]);
    await moveClock(deployment, 1);
    expect((await user.get(`/conversations/${conversationId}`)).body['lastSeq']).toBe(lastSeq);
    expect(await approvalOf(user, approval.id)).toMatchObject({ status: 'pending' });
    expect(await partOf(deployment, ExpireApprovals).sweep()).toBe(1);
  });
});

describe('an operation', () => {
  it('is told to its conversation once, as of the instants at which it moved', async () => {
    const conversationId = await conversationOf(user);
    const { runId, approval } = await asking(user, conversationId, 'withdraw 1.5 USDC');
    expect((await approve(user, approval)).status).toBe(200);
    await untilStatus(user, runId, 'completed');
    await moveClock(deployment, 60);
    const operation = await outcomeOf(user, approval.id);
    expect(operation).toMatchObject({ status: 'settled', approvalId: approval.id, conversationId, runId });
    const told = await untilJournaled(conversationId, 'settlement.updated');
    expect(told.payload).toEqual({
      type: 'settlement.updated',
      at: operation['settledAt'],
      operationId: operation.id,
      status: 'settled',
      actions: operation.actions,
      failure: null,
    });
    const submitted = await untilJournaled(conversationId, 'operation.submitted');
    expect(submitted.payload).toMatchObject({ operationId: operation.id, runId, approvalId: approval.id });
    const decided = await untilJournaled(conversationId, 'approval.decided');
    expect(new Set([told.requestId, submitted.requestId])).toEqual(new Set([decided.requestId]));

    const copies = partOf(deployment, OperationCopies);
    const before = await journal(user, conversationId);
    const moves = await partOf(deployment, EventStore).readStream(`operation-${operation.id}`, 0, 100);
    for (const stored of moves) {
      expect(idInStream({ category: 'operation' }, stored.stream)).toBe(operation.id);
      await Promise.all([copies.react(stored), copies.react(stored)]);
    }
    expect(await journal(user, conversationId)).toEqual(before);
    const accepted = moves.find(({ type }) => type === 'submission.accepted');
    // Never before what the journal has already: on a busy machine the run may have continued before it was copied.
    const previous = before[before.findIndex(({ payload }) => payload.type === 'operation.submitted') - 1];
    expect(submitted.payload.at).toBe([previous?.payload.at, accepted?.payload['at']].toSorted().at(-1));

    await partOf(deployment, ReadGate).passedAll();
    const receipt = await receiptOf(approval);
    expect(receipt).toMatchObject({ operation, approval: { operationId: operation.id } });
    expect((receipt['events'] as { type: string }[]).slice(-2).map(({ type }) => type)).toEqual([
      'operation.submitted',
      'settlement.updated',
    ]);
    expect(verifyReceipt(receipt).problems).toEqual([]);
  });

  it.each([
    ['refund', 'withdraw 1 USDC', { status: 'failed', failure: { reason: 'refunded' } }],
    ['reject', 'swap 5 USDC to NEAR', { status: 'failed', failure: { reason: 'provider_rejected' } }],
    ['ok', 'swap 5 USDC to NEAR', { status: 'settled', failure: null }],
    ['timeout_after_accept', 'withdraw 1 USDC', { status: 'settled', failure: null }],
  ])('whose submission meets "%s" is told as it ended, and its receipt holds', async (submit, text, outcome) => {
    const conversationId = await conversationOf(user);
    const { approval } = await asking(user, conversationId, text);
    await providerFault(deployment, { ...prompt, submit });
    try {
      expect((await approve(user, approval)).status).toBe(200);
      const told = await untilJournaled(conversationId, 'settlement.updated');
      expect(told.payload).toMatchObject(outcome);
      await quiet(deployment);
      const receipt = await receiptOf(approval);
      expect(receipt['operation']).toMatchObject(outcome);
      expect(verifyReceipt(receipt).problems).toEqual([]);
    } finally {
      await providerFault(deployment, prompt);
    }
  });

  it('of a direct withdrawal is told to nobody, and nonsense from a provider harms nothing', async () => {
    const { approvalId } = await prepare(user, usdc, '1');
    for (const payload of ['', 'nonsense', `${approvalId}/0/1`])
      await sql(deployment, "SELECT pg_notify('parley_settlements', $1)", [payload]);
    const conversationId = await conversationOf(user);
    const { runId, approval } = await asking(user, conversationId, 'withdraw 1 USDC');
    expect(approval).toEqual(await pendingOf(user, runId));
    expect((await user.post(`/approvals/${approval.id}/deny`)).status).toBe(200);
    expect(await untilStatus(user, runId, 'completed')).toMatchObject({ segment: 2 });
    const receipt = await receiptOf(approval);
    expect(receipt).toMatchObject({ operation: null, decision: { status: 'denied' } });
    expect(verifyReceipt(receipt).problems).toEqual([]);
  });
});

it('the read models are the same however often, and in whatever batches, the events are applied', async () => {
  await quiet(deployment);
  const [database, store] = [partOf(deployment, Database), partOf(deployment, EventStore)];
  await partOf(deployment, ReadGate).passedAll();
  const streams = await database.query<{ stream: string }>(
    "SELECT DISTINCT stream FROM event_store.events WHERE stream LIKE 'conversation-%' OR stream LIKE 'operation-%'",
  );
  const all = await Promise.all(streams.map(({ stream }) => store.readStreamRaw(stream, 0, 1_000)));
  // As projections get them: words are sealed.
  const stored = all.flat().flatMap((event) => decodeOwn(event) ?? []);
  const events = stored.sort((one, other) => one.position - other.position);
  const contents = () =>
    Promise.all([
      database.query('SELECT * FROM approvals ORDER BY id'),
      database.query('SELECT * FROM operation_copies ORDER BY copy_key'),
      database.query(
        "SELECT name, total FROM list_counters WHERE name LIKE 'approvals/%' AND total <> 0 ORDER BY name",
      ),
    ]);
  const before = await contents();
  expect(before.map((rows) => rows.length > 8)).toEqual([true, true, true]);
  const each = events.flatMap((event) => [[event], [event]]);
  for (const projection of approvalsReadModel.projections) {
    for (const batches of [[events], each]) {
      await database.transaction(async (manager) => {
        await emptyReadModel(manager, projection);
        for (const batch of [...batches, events]) await applyBatch(manager, projection, batch);
      });
      expect(await contents()).toEqual(before);
    }
  }
});
