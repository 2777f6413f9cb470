import { randomUUID } from 'node:crypto';
import { CommandBus } from '@nestjs/cqrs';
import { asId, type RunId, type UserId } from '@app/kernel';
import { MintPartnerKey } from '@app/partners';
import { Rebuilds } from '@app/read-store';
import { runKeyOf } from '@app/runs';
import type { TestClient } from '@app/testing/client';
import type { Deployment } from '@app/testing/deployment';
import { byOperator, conversationOf, partOf, sql, startLongRun } from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { thingsOf } from './things';

/** What the paths of the operator API name. */
export type OperatorThings = Readonly<
  Record<
    'control' | 'keyId' | 'userId' | 'automationId' | 'runKey' | 'projection' | 'rebuildId' | 'index' | 'stream',
    string
  >
>;

/** The first entry of the log. */
const index = '000.p/1';
/** A small one. */
const projection = 'users';
/** The event of the operation's example: passed over already, it is passed over once more. */
const skipped = { stream: 'conversation-019a3c5f-2b44-7c19-8d03-6e1f4a9b7c02', revision: 17 };
/** Longer than any test takes: a run that has begun goes on. */
const slowMs = 60_000;

/** One of each thing that operators act on; nobody else needs them. The run is live. */
export async function operatorThings(deployment: Deployment): Promise<OperatorThings> {
  const owner = await deployment.newUser();
  const { userId, automationId } = await thingsOf(owner);
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
  return { control: 'withdrawals', keyId, userId, automationId, runKey, projection, rebuildId, index, stream };
}

/** Things that nobody else's call uses up, where the operation does. */
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

/** A read model has one rebuild at a time. */
async function discardOpen(deployment: Deployment): Promise<void> {
  const rebuilds = partOf(deployment, Rebuilds);
  for (const { id, endedAt } of await rebuilds.list()) if (endedAt === null) await rebuilds.discard(id);
}

/** Of a user's own, whom nobody disables. */
async function liveRun(owner: TestClient): Promise<string> {
  const runId = await startLongRun(owner, await conversationOf(owner));
  return runKeyOf(asId<UserId>(owner.userId), asId<RunId>(runId));
}
