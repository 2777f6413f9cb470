import { inputIdOf, inputOccurrenceId } from '@app/automations';
import { encodeEvent, EventStore } from '@app/event-store';
import { asId, Clock, type AutomationId } from '@app/kernel';
import type { TestClient } from '@app/testing/client';
import type { Deployment } from '@app/testing/deployment';
import { type AutomationBody, byOperator, partOf } from '@app/testing/journeys';

/** Only records an invocation, like a process that dies right after it. Returns the id of the later occurrence. */
export async function recordInvocation(
  deployment: Deployment,
  user: TestClient,
  { id, revision }: Pick<AutomationBody, 'id' | 'revision'>,
  idempotencyKey: string,
): Promise<string> {
  const automationId = asId<AutomationId>(id);
  const inputId = inputIdOf(automationId, 'invoke', idempotencyKey);
  const { userId, cause } = byOperator(user);
  const at = partOf(deployment, Clock).now();
  const event = { id: idempotencyKey, type: 'invoke', occurredAt: at, data: {} };
  const [, epoch] = revision.split('.');
  const recorded = { type: 'input.recorded', at, automationId, userId, source: 'invoke', inputId, epoch, event };
  const encoded = encodeEvent({ category: 'input' }, recorded, cause);
  await partOf(deployment, EventStore).append(`input-${inputId}`, [encoded], -1);
  return inputOccurrenceId(automationId, inputId);
}
