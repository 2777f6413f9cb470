import type { TestClient } from '@app/testing/client';
import type { Deployment } from '@app/testing/deployment';
import {
  anInstant,
  approve,
  asking,
  aUuid,
  confirm,
  conversationOf,
  defined,
  giveInput,
  type Listed,
  moveClock,
  newOwner,
  prepare,
  say,
  untilEnded,
  untilOperation,
  usdc,
} from '@app/testing/journeys';
import { until } from '@app/testing/until';

/** The provider settles after this time, by the service's clock, which only tests move. */
export const settleAfterSeconds = 30;

/** Lets the provider settle the submitted operations. */
export async function settle(deployment: Deployment): Promise<void> {
  await moveClock(deployment, 2 * settleAfterSeconds);
}

/** Expected items of one origin: with the common ids and each item's own, and null for every other id. */
export function itemsOf(origin: string, common: object) {
  const noIds = { conversationId: null, runId: null, approvalId: null, operationId: null, automationId: null };
  return (kind: string, title: string, ids: object = {}): object => {
    return { id: aUuid, at: anInstant, kind, origin, title, ...noIds, ...common, ...ids };
  };
}

/** A user with milestones of every kind, and the expected history, oldest first. */
export async function lived(deployment: Deployment): Promise<{ user: TestClient; told: object[] }> {
  const user = await newOwner(deployment);
  const told: object[] = [];
  for (const happen of [chatting, paid, withdrawn, fired, denied, expired])
    told.push(...(await happen(user, deployment)));
  return { user, told };
}

async function chatting(user: TestClient): Promise<object[]> {
  const conversationId = await conversationOf(user, 'A chat');
  const text = `repeat after me:  ${'word '.repeat(60)}`;
  const { id: runId } = await say(user, conversationId, text);
  const words = `repeat after me: ${'word '.repeat(60)}`;
  const of = itemsOf('conversation', { conversationId });
  return [
    of('conversation_created', '“A chat”'),
    of('run_started', `“${words.slice(0, 157)}…”`, { runId }),
    of('run_ended', `Completed: “${words.slice(0, 146)}…”`, { runId }),
  ];
}

async function paid(user: TestClient, deployment: Deployment): Promise<object[]> {
  const conversationId = await conversationOf(user);
  const { runId, approval } = await asking(user, conversationId, 'withdraw 1.5 USDC');
  expect((await approve(user, approval)).status).toBe(200);
  await untilEnded(user, runId);
  await settle(deployment);
  const { body } = await user.get<{ operationId: string }>(`/approvals/${approval.id}`);
  await untilOperation(user, body.operationId, 'settled');
  const asked = { runId, approvalId: approval.id };
  const used = { ...asked, operationId: body.operationId };
  const of = itemsOf('conversation', { conversationId });
  const summary = 'Withdraw 1.5 USDC to your main account, once.';
  return [
    of('conversation_created', 'New conversation'),
    of('run_started', '“withdraw 1.5 USDC”', { runId }),
    of('approval_opened', summary, asked),
    of('approval_decided', `Approved: ${summary}`, asked),
    of('operation_submitted', summary, used),
    of('run_ended', 'Completed: “withdraw 1.5 USDC”', { runId }),
    of('operation_settled', `Settled: ${summary}`, used),
  ];
}

async function withdrawn(user: TestClient, deployment: Deployment): Promise<object[]> {
  const prepared = await prepare(user, usdc, '2000000');
  expect((await confirm(user, prepared)).status).toBe(202);
  const { operationId, approvalId } = prepared;
  await until('the submission', async () => {
    const { body } = await user.get<{ actions: { status: string }[] }>(`/financial-operations/${operationId}`);
    return body.actions[0]?.status === 'submitted' ? true : null;
  });
  await settle(deployment);
  await untilOperation(user, operationId, 'settled');
  const of = itemsOf('operation', { operationId, approvalId });
  const summary = 'Withdraw 2 USDC to your main account, once.';
  return [
    of('approval_opened', summary),
    of('approval_decided', `Approved: ${summary}`),
    of('operation_submitted', summary),
    of('operation_settled', `Settled: ${summary}`),
  ];
}

async function fired(user: TestClient): Promise<object[]> {
  const { id: automationId } = await defined(user);
  await giveInput(user, automationId, 'signal');
  const occurrence = await until('the occurrence', async () => {
    const { body } = await user.get<Listed>(`/automations/${automationId}/occurrences?delivery=accepted`);
    return body.data[0];
  });
  const [runId, conversationId] = [String(occurrence['runId']), String(occurrence['conversationId'])];
  await untilEnded(user, runId);
  const of = itemsOf('automation', { conversationId, automationId });
  return [
    of('conversation_created', '“Tell the time”'),
    of('automation_fired', '“Tell the time”', { runId }),
    of('run_started', '“repeat after me: done”', { runId }),
    of('run_ended', 'Completed: “repeat after me: done”', { runId }),
  ];
}

async function denied(user: TestClient): Promise<object[]> {
  const conversationId = await conversationOf(user);
  const { runId, approval } = await asking(user, conversationId, 'withdraw 1 USDC');
  expect((await user.post(`/approvals/${approval.id}/deny`, { reason: 'no' })).status).toBe(200);
  await untilEnded(user, runId);
  const asked = { runId, approvalId: approval.id };
  const of = itemsOf('conversation', { conversationId });
  const summary = 'Withdraw 1 USDC to your main account, once.';
  return [
    of('conversation_created', 'New conversation'),
    of('run_started', '“withdraw 1 USDC”', { runId }),
    of('approval_opened', summary, asked),
    of('approval_decided', `Denied: ${summary}`, asked),
    of('run_ended', 'Completed: “withdraw 1 USDC”', { runId }),
  ];
}

async function expired(user: TestClient, deployment: Deployment): Promise<object[]> {
  const { operationId, approvalId } = await prepare(user, usdc, '1');
  await moveClock(deployment, 16 * 60);
  await untilOperation(user, operationId, 'expired');
  const of = itemsOf('operation', { operationId, approvalId });
  const summary = 'Withdraw 0.000001 USDC to your main account, once.';
  return [of('approval_opened', summary), of('approval_expired', `Expired: ${summary}`)];
}
