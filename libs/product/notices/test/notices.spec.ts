import { CommandBus } from '@nestjs/cqrs';
import { EventStore, type StoredEvent } from '@app/event-store';
import type { TestClient } from '@app/testing/client';
import { keysIn } from '@app/testing/audits';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import {
  approve,
  asking,
  atRest,
  byOperator,
  confirm,
  conversationOf,
  defined,
  giveInput,
  journal,
  type Listed,
  moveClock,
  newOwner,
  partOf,
  prepare,
  prompt,
  trustedAutomation,
  untilEnded,
  untilOperation,
  usdc,
} from '@app/testing/journeys';
import { appendCounted, newCategory } from '@app/testing/event-store';
import { DamagedStream } from '@app/kernel';
import { until } from '@app/testing/until';
import { DisableUser } from '@app/users';
import { Notices, toldCategories, type Notice } from '../src';

const settleAfterSeconds = 30;
const lastOne = { trigger: 'match', cooldownSeconds: 0, overlap: 'queue', retryForSeconds: 900, maxOccurrences: 1 };

let deployment: Deployment;
let store: EventStore;
let keys: Awaited<ReturnType<typeof keysIn>>;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process' });
  keys = await keysIn(deployment.databaseUrl);
  store = EventStore.connect(deployment.eventStoreUrl, undefined, keys.ring);
  await deployment.sandbox('PUT', 'faults', { provider: { ...prompt, settleAfterSeconds }, model: { delayMs: 0 } });
});
afterEach(() => atRest(deployment));
afterAll(async () => {
  await store.dispose();
  await keys.close();
  await deployment.stop();
});

/** Every event of the store's categories for notices, oldest first. */
async function allEvents(): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (let [after, more] = [0, true]; more;) {
    const page = await store.readCategories(toldCategories, after, 500);
    events.push(...page.events);
    [after, more] = [page.upTo, page.more];
  }
  return events;
}

/** All notices of a user so far, oldest first, from an instance with an empty cache. */
async function toldOf({ userId }: TestClient): Promise<Notice[]> {
  const notices = await new Notices(store).of(await allEvents());
  return notices.filter(({ data }) => data.userId === userId);
}

const brief = ({ type, data: { userId: _, seq: __, expiresAt: ___, ...ids } }: Notice) => [type, ids];

it('a transfer in a conversation is told by its journal, in its order and its words', async () => {
  const user = await newOwner(deployment);
  const conversationId = await conversationOf(user);
  const { runId, approval } = await asking(user, conversationId, 'withdraw 1.5 USDC');
  expect((await approve(user, approval)).status).toBe(200);
  await untilEnded(user, runId);
  await moveClock(deployment, 2 * settleAfterSeconds);
  const { body } = await user.get<{ operationId: string }>(`/approvals/${approval.id}`);
  const { operationId } = body;
  await untilOperation(user, operationId, 'settled');
  const copied = async () => (await toldOf(user)).find(({ type }) => type === 'settlement.updated') ?? null;
  await until('the copy in the journal', copied);

  const told = await toldOf(user);
  const approvalId = approval.id;
  expect(told.slice(0, 3).map(brief)).toEqual([
    ['approval.opened', { conversationId, runId, approvalId }],
    ['run.suspended', { conversationId, runId }],
    ['approval.decided', { conversationId, approvalId, status: 'approved' }],
  ]);
  // The copies arrive in any order.
  expect(told.slice(3).map(brief).sort()).toEqual([
    ['operation.submitted', { conversationId, operationId, runId, approvalId }],
    ['run.ended', { conversationId, runId, status: 'completed' }],
    ['settlement.updated', { conversationId, operationId, status: 'settled' }],
  ]);
  const frames = await journal(user, conversationId);
  for (const { data, payload } of told) expect(payload).toEqual(frames[Number(data.seq) - 1]?.payload);
  for (const notice of told) expect(await new Notices(store).at(notice.stream, notice.revision)).toEqual(notice);
});

it('a direct withdrawal is told by its own stream, without the bytes that were signed', async () => {
  const user = await newOwner(deployment);
  const prepared = await prepare(user, usdc, '2000000');
  expect((await confirm(user, prepared)).status).toBe(202);
  const { operationId, approvalId } = prepared;
  await moveClock(deployment, 2 * settleAfterSeconds);
  await untilOperation(user, operationId, 'settled');
  const told = await toldOf(user);
  expect(told.map(brief)).toEqual([
    ['approval.opened', { operationId, approvalId }],
    ['approval.decided', { operationId, approvalId, status: 'approved' }],
    ['operation.submitted', { operationId, approvalId }],
    ['settlement.updated', { operationId, status: 'settled' }],
  ]);
  expect(told.at(-1)?.payload).toMatchObject({
    type: 'settlement.updated',
    operationId,
    status: 'settled',
    actions: [{ index: 0, status: 'settled' }],
    failure: null,
  });
  const { body } = await user.get<{ actions: unknown }>(`/financial-operations/${operationId}`);
  expect(told.at(-1)?.payload['actions']).toEqual(body.actions);
  expect(JSON.stringify(told)).not.toMatch(/bytes|mainAccount|submission/);
});

it('what automations do is told, with the automation that it belongs to', async () => {
  const user = await newOwner(deployment);
  const { id: automationId, contractApprovalId: approvalId } = await trustedAutomation(user);
  const firing = await defined(user, { firing: lastOne });
  await giveInput(user, firing.id, 'signal');
  const occurrence = await until('the occurrence', async () => {
    const { body } = await user.get<Listed>(`/automations/${firing.id}/occurrences?delivery=accepted`);
    return body.data[0];
  });
  await untilEnded(user, String(occurrence['runId']));
  const conversationId = occurrence['conversationId'];
  const ended = async () => (await toldOf(user)).find(({ type }) => type === 'run.ended') ?? null;
  await until('the end', ended);
  const told = (await toldOf(user)).map(brief);
  const runId = occurrence['runId'];
  expect(told).toEqual(
    expect.arrayContaining([
      ['approval.opened', { automationId, approvalId }],
      ['approval.decided', { automationId, approvalId, status: 'approved' }],
      ['automation.triggered', { conversationId, automationId: firing.id, occurrenceId: occurrence['id'] }],
      ['automation.completed', { automationId: firing.id }],
      ['run.ended', { conversationId, automationId: firing.id, runId, status: 'completed' }],
    ]),
  );
  expect(told).toHaveLength(5);
});

it('an account that is disabled is told of, and why is not', async () => {
  const user = await newOwner(deployment);
  await partOf(deployment, CommandBus).execute(new DisableUser({ ...byOperator(user), reason: 'case 4711' }));
  const told = await toldOf(user);
  expect(told.map(brief)).toEqual([['user.disabled', {}]]);
  expect(JSON.stringify(told)).not.toContain('4711');
});

it('a notice whose stream was hidden is none that never was', async () => {
  const stream = `${newCategory()}-a`;
  await appendCounted(store, stream, 0, 1);
  await store.client.setStreamMetadata(stream, { truncateBefore: 1 });
  await expect(new Notices(store).at(stream, 0)).rejects.toThrow(DamagedStream);
});
