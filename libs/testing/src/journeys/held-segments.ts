import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { conversationKind } from '@app/conversations';
import { Streams } from '@app/event-store';
import { asId, Clock, type RunId } from '@app/kernel';
import { v5 as uuidV5 } from 'uuid';
import type { TestClient } from '../client';
import type { Deployment } from '../deployment';
import { byOperator, partOf, sql, start } from './journeys';

/** How long a process considers a worker alive (`Processes.workerAlive`), and a little more. */
const believedMs = 1_100;

/** Lets a worker that does not exist hold the first segment of a future run: no process executes it, and none claims it. */
export async function holdFirstSegment(
  deployment: Deployment,
  { userId }: TestClient,
  { conversationId, runId }: { readonly conversationId: string; readonly runId: string },
): Promise<void> {
  const slot = `INSERT INTO execution_slots (run_key, segment, run_id, conversation_id, user_id, shard, worker_id, expires_at)
    VALUES ($1, 1, $2, $3, $4, 0, $5, now() + interval '2 minutes')`;
  await sql(deployment, slot, [uuidV5(runId, userId), runId, conversationId, userId, randomUUID()]);
}

/** Does the same as `holdFirstSegment` for the next segment of a run that waits for approvals. */
export async function holdNextSegment(deployment: Deployment, runKey: string): Promise<void> {
  const slot = `INSERT INTO execution_slots (run_key, segment, run_id, conversation_id, user_id, shard, worker_id, expires_at)
    SELECT run_key, segment + 1, id, conversation_id, user_id, 0, $2, now() + interval '2 minutes' FROM runs WHERE run_key = $1`;
  await sql(deployment, slot, [runKey, randomUUID()]);
}

/** Ends the lease of a run's segment, so that any worker may claim it. */
export async function freeLease(deployment: Deployment, runKey: string): Promise<void> {
  await sql(deployment, `UPDATE execution_slots SET expires_at = '2020-01-01' WHERE run_key = $1`, [runKey]);
}

/**
 * Starts a run that is claimed in the journal and held by a worker that does not exist; its lease lasts two minutes, or
 * until `free`.
 */
export async function startStuckRun(deployment: Deployment, user: TestClient, conversationId: string) {
  const runId = randomUUID();
  const runKey = uuidV5(runId, user.userId);
  await holdFirstSegment(deployment, user, { conversationId, runId });
  const { status } = await start(user, conversationId, 'repeat after me: late', { runId });
  expect(status).toBe(202);
  const { cause } = byOperator(user);
  const at = partOf(deployment, Clock).now();
  const claim = { type: 'ClaimRun', at, runId: asId<RunId>(runId), segment: 1 } as const;
  await partOf(deployment, Streams).decide(conversationKind, conversationId, claim, cause);
  return { runId, free: () => freeLease(deployment, runKey) };
}

/** Hides all workers from now on; returns after a second, because processes consider a worker alive for that long. */
export async function silenceWorkers(deployment: Deployment): Promise<void> {
  await sql(deployment, 'UPDATE processes SET worker = false');
  await sleep(believedMs);
}
