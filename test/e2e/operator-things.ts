import { createHash, randomUUID } from 'node:crypto';
import { CommandBus } from '@nestjs/cqrs';
import { HoldLog } from '@app/audit';
import { asId, Clock, type EndpointId, type RunId, type UserId } from '@app/kernel';
import { MintPartnerKey } from '@app/partners';
import { Rebuilds } from '@app/read-store';
import { runKeyOf } from '@app/runs';
import { CreateEndpoint, Deliveries, EndpointSecrets } from '@app/webhooks';
import type { TestClient } from '@app/testing/client';
import type { Deployment } from '@app/testing/deployment';
import { byOperator, conversationOf, partOf, sql, startLongRun } from '@app/testing/journeys';
import { testCause } from '@app/testing/slices';
import { until } from '@app/testing/until';
import { thingsOf } from './things';

/** The names in the paths of the operator API. */
export type OperatorThings = Readonly<
  Record<
    | (
        | 'approvalId'
        | 'control'
        | 'keyId'
        | 'keySha256'
        | 'userId'
        | 'automationId'
        | 'runKey'
        | 'projection'
        | 'rebuildId'
        | 'index'
        | 'stream'
      )
    | ('endpointId' | 'deliveryId'),
    string
  >
>;

/** The first entry of the log. */
const index = '000.p/1';
/** A small read model. */
const projection = 'users';
/** The event of the operation's example; it was skipped before, and is skipped once more. */
const skipped = { stream: 'conversation-019a3c5f-2b44-7c19-8d03-6e1f4a9b7c02', revision: 17 };
/** Longer than any test, so a run that has begun stays live. */
const slowMs = 60_000;

/** One of each thing that operators act on, used by no other test. The run is live. */
export async function operatorThings(deployment: Deployment): Promise<OperatorThings> {
  const owner = await deployment.newUser();
  const { userId, automationId, approvalId } = await thingsOf(owner);
  const { cause } = byOperator(owner);
  const minted = await partOf(deployment, CommandBus).execute(new MintPartnerKey({ label: 'old', cause }));
  if (!minted.ok) throw new Error('no key was minted');
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: slowMs } });
  const runKey = await liveRun(await deployment.newUser());
  await sql(
    deployment,
    `INSERT INTO skipped_events (projection, stream, revision, reason, error) VALUES ($1, $2, $3, 'a test', 'a test')`,
    [projection, skipped.stream, skipped.revision],
  );
  const rebuildId = await rebuildThatIs(deployment, 'building');
  await until('a checkpoint', async () => ((await fetch(`${owner.baseUrl}/transparency/checkpoint`)).ok ? true : null));
  const { keyId } = minted.value;
  const stream = `user-${userId}`;
  const named = { control: 'withdrawals', projection, index, stream, ...(await endpointWithDelivery(deployment)) };
  const keySha256 = createHash('sha256').update(minted.value.key).digest('hex');
  return { ...named, approvalId, keySha256, keyId, userId, automationId, runKey, rebuildId };
}

/** Things for one call of the operation, where the operation uses them up. */
export async function freshThings(deployment: Deployment, operation: string): Promise<Partial<OperatorThings>> {
  switch (operation) {
    case 'runs.abort':
    case 'runs.release':
      return { runKey: await liveRun(await deployment.newUser()) };
    case 'projections.rebuild':
      await discardOpen(deployment);
      return { projection };
    case 'rebuilds.switch':
      return { rebuildId: await rebuildThatIs(deployment, 'ready') };
    case 'rebuilds.rollback':
      return { rebuildId: await rebuildThatIs(deployment, 'switched') };
    case 'rebuilds.discard':
      return { rebuildId: await rebuildThatIs(deployment, 'building') };
    case 'audit.resume':
      await partOf(deployment, CommandBus).execute(
        new HoldLog({ id: randomUUID(), why: 'asked', since: null, says: 'a test held it' }),
      );
      return {};
    case 'webhooks.delete':
      return endpointWithDelivery(deployment);
    default:
      return {};
  }
}

async function rebuildThatIs(deployment: Deployment, state: 'building' | 'ready' | 'switched'): Promise<string> {
  await discardOpen(deployment);
  const rebuilds = partOf(deployment, Rebuilds);
  const id = randomUUID();
  await rebuilds.start(id, projection, 'a test');
  if (state === 'building') return id;
  await until('the rebuild', async () => ((await rebuilds.find(id))?.state === 'ready' ? true : null));
  if (state === 'switched') await rebuilds.switchOver(id, null);
  return id;
}

/** Discards open rebuilds, because a read model has only one at a time. */
async function discardOpen(deployment: Deployment): Promise<void> {
  const rebuilds = partOf(deployment, Rebuilds);
  for (const { id, endedAt } of await rebuilds.list()) if (endedAt === null) await rebuilds.discard(id);
}

/** Starts a run of a user of its own, who is never disabled. */
async function liveRun(owner: TestClient): Promise<string> {
  const runId = await startLongRun(owner, await conversationOf(owner));
  return runKeyOf(asId<UserId>(owner.userId), asId<RunId>(runId));
}

/** An endpoint with one delivery, neither of them in the operators' log. No server listens at its URL. */
async function endpointWithDelivery(deployment: Deployment): Promise<{ endpointId: string; deliveryId: string }> {
  const endpointId = asId<EndpointId>(randomUUID());
  const { keyId } = await partOf(deployment, EndpointSecrets).make(endpointId);
  const settings = { url: 'http://127.0.0.1:9/', types: null, payload: 'thin', description: 'a test' } as const;
  const at = partOf(deployment, Clock).now();
  const request = { endpointId, at, settings, keyId, reason: 'a test', cause: testCause() };
  const created = await partOf(deployment, CommandBus).execute(new CreateEndpoint(request));
  if (!created.ok) throw new Error('no endpoint was created');
  await sql(
    deployment,
    `INSERT INTO webhook_targets (endpoint_id, url, payload, is_enabled, epoch, revision) VALUES ($1, '', 'thin', true, 0, 0)
     ON CONFLICT DO NOTHING`,
    [endpointId],
  );
  const sent = await partOf(deployment, Deliveries).test(endpointId, randomUUID());
  if (!sent.ok) throw new Error('no message was sent');
  return { endpointId, deliveryId: sent.value.id };
}
