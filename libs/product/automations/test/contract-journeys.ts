import { randomUUID } from 'node:crypto';
import type { TestClient } from '@app/testing/client';
import type { Deployment } from '@app/testing/deployment';
import { until } from '@app/testing/until';
import {
  type Approval,
  type Automation,
  freeLease,
  holdFirstSegment,
  idsOf,
  invoke,
  pendingOf,
  recorded,
  untilEnded,
} from '@app/testing/journeys';

/** The recorded uses of an automation's contract, and their returns. */
export async function usesOf(deployment: Deployment, automation: Automation) {
  const counted = ['contract.used', 'contract.use_returned'];
  return (await countsOf(deployment, automation)).filter(({ type }) => counted.includes(type));
}

/** All events that count uses of an automation's contract. */
export async function countsOf(deployment: Deployment, { id }: Automation) {
  return (await recorded(deployment, 'contract.use')).filter(({ stream }) => stream === `automation-${id}`);
}

/** Resolves once there are `count` uses and returns. */
export async function untilUses(deployment: Deployment, automation: Automation, count: number): Promise<void> {
  const look = async () => (await usesOf(deployment, automation)).length === count || null;
  await until('the use that is given back', look);
}

/** Expects that the call was asked for like any other; returns the pending approval. */
export async function askedFor(user: TestClient, automation: Automation, runId: string): Promise<Approval> {
  const approval = await pendingOf(user, runId);
  expect(approval).toMatchObject({ kind: 'agent_tool', status: 'pending', automationId: automation.id });
  return approval;
}

/** A run of the automation that no worker claims until `free`. */
export async function heldRunOf(deployment: Deployment, user: TestClient, { id }: Automation) {
  const idempotencyKey = randomUUID();
  const held = idsOf(user, id, idempotencyKey);
  await holdFirstSegment(deployment, user, held);
  const { runId } = await invoke(user, id, idempotencyKey);
  return { runId, free: () => freeLease(deployment, held.runKey) };
}

/** Aborts a run, and resolves once it has ended. */
export async function abort(user: TestClient, runId: string): Promise<void> {
  await user.post(`/agent-runs/${runId}/abort`);
  await untilEnded(user, runId);
}
