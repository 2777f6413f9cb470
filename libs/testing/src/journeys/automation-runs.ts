import { randomUUID } from 'node:crypto';
import { inputIdOf, inputOccurrenceId, occurrenceConversationId, occurrenceRunId } from '@app/automations';
import { asId, type AutomationId } from '@app/kernel';
import { v5 as uuidV5 } from 'uuid';
import type { Deployment } from '../deployment';
import type { TestClient } from '../client';
import { until } from '../until';
import { type Listed, untilEnded, untilStatus } from './journeys';
import { type Approval, approvalOf, approve, usdc, wrappedNear } from './money';

/** The members of an automation that tests use. */
export interface Automation extends Record<string, unknown> {
  readonly id: string;
  readonly revision: string;
  readonly contractApprovalId: string | null;
}

export interface Occurrence extends Record<string, unknown> {
  readonly id: string;
  readonly delivery: string;
  readonly runId: string | null;
  readonly conversationId: string | null;
}

const occursWithinMs = 120_000;

/** 10 USDC to NEAR, in the form in which the rules model writes it in a call. */
export const swapTen = {
  kind: 'swap',
  input: { pinned: { tokenId: usdc, decimals: 6 } },
  output: { pinned: { tokenId: wrappedNear, decimals: 24 } },
  quantity: { kind: 'exact_input_tokens', amountRaw: '10000000' },
};
const bounds = { maxUses: 10, perUseUsd: '12.5', totalUsd: '125', notAfter: '2199-01-01T00:00:00.000Z' };

/** Returns a contract for the swap of 10 USDC, with other bounds or actions if the test needs them. */
export function contractOf(change: object = {}, actions: readonly object[] = [swapTen]): object {
  return { type: 'ledger_intents_transfer', actions, bounds: { ...bounds, ...change } };
}

/** Returns a rule that fires only when it is invoked, with the authority to swap 10 USDC to NEAR. */
export function definitionOf(change: object = {}): object {
  return {
    name: 'Buy NEAR',
    prompt: 'swap 10 USDC to NEAR',
    conversation: 'new',
    condition: null,
    wake: { kind: 'event', types: ['never.sent'] },
    firing: { trigger: 'match', cooldownSeconds: 0, overlap: 'queue', retryForSeconds: 900 },
    contract: contractOf(),
    ...change,
  };
}

export async function newAutomation(user: TestClient, change: object = {}): Promise<Automation> {
  const { status, body } = await user.post<Automation>('/automations', definitionOf(change));
  expect([status, body]).toEqual([201, expect.objectContaining({ id: expect.any(String) as string })]);
  return body;
}

export async function automationOf(user: TestClient, id: string): Promise<Automation> {
  const { status, body } = await user.get<Automation>(`/automations/${id}`);
  expect(status).toBe(200);
  return body;
}

export async function contractApprovalOf(user: TestClient, automation: Automation): Promise<Approval> {
  expect(automation.contractApprovalId).toEqual(expect.any(String));
  return approvalOf(user, automation.contractApprovalId ?? '');
}

/** Creates an automation whose contract its user has approved. */
export async function trustedAutomation(user: TestClient, change: object = {}): Promise<Automation> {
  const automation = await newAutomation(user, change);
  expect((await approve(user, await contractApprovalOf(user, automation))).status).toBe(200);
  return automation;
}

/** Replaces the whole definition; returns the automation afterwards. */
export async function redefine(user: TestClient, { id }: Automation, change: object): Promise<Automation> {
  const { revision } = await automationOf(user, id);
  const body = { revision, definition: definitionOf(change) };
  const updated = await user.request<Automation>('PUT', `/automations/${id}`, body);
  expect([updated.status, updated.body]).toEqual([200, expect.objectContaining({ id })]);
  return updated.body;
}

/** Invokes the automation in its current revision; returns the run that it starts, and its conversation. */
export async function invoke(user: TestClient, id: string, idempotencyKey: string = randomUUID()) {
  const { revision } = await automationOf(user, id);
  const { status, body } = await user.post(`/automations/${id}/invoke`, { revision, idempotencyKey });
  expect([status, body]).toEqual([202, expect.objectContaining({ status: 'recorded' })]);
  return untilAccepted(user, id, String(body['occurrenceId']));
}

/** Returns the ids that an invocation results in, before it happens. */
export function idsOf({ userId }: TestClient, id: string, idempotencyKey: string) {
  const automationId = asId<AutomationId>(id);
  const occurrenceId = inputOccurrenceId(automationId, inputIdOf(automationId, 'invoke', idempotencyKey));
  const conversationId = occurrenceConversationId(occurrenceId);
  const runId = occurrenceRunId(occurrenceId, conversationId);
  return { conversationId, runId, runKey: uuidV5(runId, userId) };
}

/** Returns up to 100 occurrences, newest first. */
export async function occurrencesOf(user: TestClient, id: string): Promise<readonly Occurrence[]> {
  const { status, body } = await user.get<Listed<Occurrence>>(`/automations/${id}/occurrences?limit=100`);
  expect(status).toBe(200);
  return body.data;
}

async function untilAccepted(user: TestClient, id: string, occurrenceId: string) {
  const look = async () =>
    (await occurrencesOf(user, id)).find((one) => one.id === occurrenceId && one.delivery === 'accepted');
  const { runId, conversationId } = await until(`occurrence ${occurrenceId}`, look, occursWithinMs);
  return { runId: String(runId), conversationId: String(conversationId) };
}

/** Waits until exactly `times` occurrences are accepted and the run of the newest has ended; returns that run. */
export async function untilFired(user: TestClient, id: string, times: number) {
  const look = async () => {
    const accepted = (await occurrencesOf(user, id)).filter(({ delivery }) => delivery === 'accepted');
    return accepted.length === times ? accepted[0] : null;
  };
  const { runId, conversationId } = await until(`occurrence ${times}`, look, occursWithinMs);
  return { run: await untilEnded(user, String(runId)), runId: String(runId), conversationId: String(conversationId) };
}

/** Checks that the run ends without a question; returns the approval that was recorded for its one transfer. */
export async function coveredBy(user: TestClient, runId: string): Promise<Approval> {
  const run = await untilStatus(user, runId, 'completed', 'failed', 'awaiting_approval');
  expect(run).toMatchObject({ status: 'completed', segment: 1, origin: 'automation' });
  const { body } = await user.get<Listed<Approval>>('/approvals?status=approved&limit=100');
  const [approval, ...others] = body.data.filter((one) => one['runId'] === runId);
  expect([others, approval]).toEqual([[], expect.objectContaining({ decidedBy: 'automation_contract' })]);
  // Reason for the assertion: just checked.
  return approval as Approval;
}

export async function pinPrice(deployment: Deployment, priceUsd: string): Promise<void> {
  await deployment.sandbox('PUT', `prices/${wrappedNear}`, { priceUsd });
}
