import { CommandBus } from '@nestjs/cqrs';
import { asId, type RunId, type UserId } from '@app/kernel';
import { MintPartnerKey } from '@app/partners';
import { runKeyOf } from '@app/runs';
import type { TestClient } from '@app/testing/client';
import type { Deployment } from '@app/testing/deployment';
import { byOperator, conversationOf, partOf, startLongRun } from '@app/testing/journeys';
import { thingsOf } from './things';

/** What the paths of the operator API name. */
export type OperatorThings = Readonly<Record<'control' | 'keyId' | 'userId' | 'automationId' | 'runKey', string>>;

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
  return { control: 'withdrawals', keyId: minted.value.keyId, userId, automationId, runKey };
}

/** Things that nobody else's call uses up, where the operation does. */
export async function freshThings(deployment: Deployment, operation: string): Promise<Partial<OperatorThings>> {
  return operation === 'runs.abort' ? { runKey: await liveRun(await deployment.newUser()) } : {};
}

/** Of a user's own, whom nobody disables. */
async function liveRun(owner: TestClient): Promise<string> {
  const runId = await startLongRun(owner, await conversationOf(owner));
  return runKeyOf(asId<UserId>(owner.userId), asId<RunId>(runId));
}
