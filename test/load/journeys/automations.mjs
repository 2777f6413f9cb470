// A user creates a rule that fires once, and removes it.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failed } from '../client.mjs';
import { endOf, untilEvent } from './following.mjs';

const dueInMs = 2_000;
const firedWithinMs = 120_000;
const firstLookMs = 25;
const lookPauseMaxMs = 400;

/** Fires by a signal or by the clock, each half of the time. Its run is followed to the end. */
export const automations = {
  kind: 'automation',
  async run(operation) {
    if (Math.random() < 0.5) await bySignal(operation);
    else await byClock(operation);
  },
};

async function bySignal(operation) {
  const { user, ledger } = operation;
  const { id, revision } = await create(user, { kind: 'event', types: ['never.sent'] });
  try {
    await user.post(`/automations/${id}/signal`, { revision, idempotencyKey: randomUUID() });
    ledger.mustFire(user, id);
    await untilRunEnded(operation, id);
  } finally {
    await remove(operation, id);
  }
}

/**
 * The wait until the due instant is not the service's latency: that is the time of creation plus the time after the due
 * instant.
 */
async function byClock(operation) {
  const { user, ledger } = operation;
  const at = new Date(Date.now() + dueInMs).toISOString();
  const { id } = await create(user, { kind: 'schedule', schedule: { kind: 'once', at } });
  ledger.mustFire(user, id);
  await operation.rest(Math.max(0, Date.parse(at) - Date.now()));
  await untilRunEnded(operation, id);
  await remove(operation, id);
}

function create(user, wake) {
  return user.post('/automations', {
    name: 'Say good morning',
    prompt: 'repeat after me: good morning',
    conversation: 'new',
    condition: null,
    wake,
    firing: { trigger: 'match', cooldownSeconds: 0, overlap: 'queue', retryForSeconds: 900 },
  });
}

async function untilRunEnded(operation, automationId) {
  const { conversationId, runId } = await untilFired(operation, automationId);
  await untilEvent(operation, conversationId, endOf(runId));
}

async function untilFired(operation, automationId) {
  const giveUpAtMs = performance.now() + firedWithinMs;
  for (let pauseMs = firstLookMs; performance.now() < giveUpAtMs; pauseMs = Math.min(2 * pauseMs, lookPauseMaxMs)) {
    const { data } = await operation.insist(() => operation.user.get(`/automations/${automationId}/occurrences`));
    const accepted = data.find(({ delivery }) => delivery === 'accepted');
    if (accepted !== undefined) {
      // The service deferred the occurrence, as it would refuse a caller, and retried by itself.
      if (accepted.attempts > 1) operation.noteRefusal({ message: 'an occurrence was deferred' });
      return accepted;
    }
    if (data.some(({ delivery }) => delivery === 'rejected')) throw new Failed('an occurrence was rejected');
    await sleep(pauseMs);
  }
  throw new Failed(`an automation did not fire within ${firedWithinMs} ms`);
}

const remove = (operation, id) => operation.insist(() => operation.user.ask('DELETE', `/automations/${id}`));
