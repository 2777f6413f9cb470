import { randomUUID } from 'node:crypto';
import type { TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import type { Ids } from './operation-call';
import {
  asking,
  conversationOf,
  defined,
  giveInput,
  type Listed,
  prepare,
  raw,
  say,
  usdc,
} from '@app/testing/journeys';

/** A rule with a member of nearly every kind, which never matches the inputs that tests send. */
const definition = {
  name: 'A name',
  prompt: 'repeat after me: x',
  conversation: 'new',
  profile: { tools: ['current_time'] },
  wake: { kind: 'event', types: ['order.placed'] },
  condition: {
    bindings: [{ name: 'order', source: { kind: 'event' }, maxAgeSeconds: 60 }],
    rule: { all: [{ exists: { binding: 'order', field: '/data/paid' } }] },
  },
  firing: { trigger: 'match', cooldownSeconds: 0, overlap: 'skip', retryForSeconds: 60 },
};

/** Bodies that have more members than the contract's example, or that leave nothing behind which proceeds by itself. */
export const fullerBodies: Readonly<Record<string, (ids: Ids) => object>> = {
  'runs.start': ({ conversationId, runId }) => ({
    conversationId,
    runId,
    input: { text: 'repeat after me: x', artifactIds: [] },
    profile: {
      model: 'parley/rules',
      instructions: 'be brief',
      tools: ['current_time'],
      maxSteps: 2,
      outputSchema: { type: 'object', properties: { a: { type: 'integer' } } },
    },
  }),
  'automations.create': () => definition,
  'automations.update': ({ revision }) => ({ revision, definition }),
  'automations.simulate': () => ({ from: '2026-05-05T10:00:00Z', to: '2026-05-05T11:00:00.000Z' }),
};

/** New things for operations that use up the thing they act on, so that another operation can do the same. */
const fresh: Readonly<Record<string, (owner: TestClient) => Promise<Partial<Ids>>>> = {
  'runs.start': async () => ({ runId: randomUUID() }),
  'conversations.archive': async (owner) => ({ conversationId: await conversationOf(owner) }),
  'approvals.approve': waitingApproval,
  'approvals.deny': waitingApproval,
  'automations.update': anAutomation,
  'automations.pause': anAutomation,
  'automations.remove': anAutomation,
  'wallets.confirmWithdrawal': prepared,
};

/** Ids of things for one call of the operation, where the operation uses them up. */
export async function usedUpBy(operation: string, owner: TestClient): Promise<Partial<Ids>> {
  return (await fresh[operation]?.(owner)) ?? {};
}

/** One of each thing that operations act on, all of a new owner: the run completed, the approval pending, the withdrawal prepared. */
export async function thingsOf(owner: TestClient): Promise<Ids> {
  expect((await owner.post('/wallet')).status).toBe(200);
  const conversationId = await conversationOf(owner);
  const runId = String((await say(owner, conversationId))['id']);
  const artifactId = await artifactOf(owner, conversationId);
  const messageId = await messageOf(owner, conversationId);
  const ids = { userId: owner.userId, conversationId, runId, artifactId, messageId };
  const asked = { ...(await waitingApproval(owner)), ...(await prepared(owner)) };
  return { ...ids, ...asked, ...(await anAutomation(owner)) };
}

async function artifactOf(owner: TestClient, conversationId: string): Promise<string> {
  const { body } = await raw(owner, 'POST', `/conversations/${conversationId}/artifacts?name=notes.txt`, { body: 'x' });
  return String(body['id']);
}

async function messageOf(owner: TestClient, conversationId: string): Promise<string> {
  const { body } = await owner.get<Listed<{ id: string; role: string }>>(`/conversations/${conversationId}/messages`);
  return body.data.find(({ role }) => role === 'assistant')?.id ?? '';
}

async function waitingApproval(owner: TestClient): Promise<Pick<Ids, 'approvalId' | 'fingerprint'>> {
  const { approval } = await asking(owner, await conversationOf(owner), 'withdraw 0.000001 USDC');
  return { approvalId: approval.id, fingerprint: approval.fingerprint };
}

async function prepared(owner: TestClient): Promise<Pick<Ids, 'operationId' | 'fingerprint'>> {
  const { operationId, fingerprint } = await prepare(owner, usdc, '1');
  return { operationId, fingerprint };
}

/** A new automation of the owner, and a signal that was handed to it. */
async function anAutomation(owner: TestClient): Promise<Pick<Ids, 'automationId' | 'inputId' | 'revision'>> {
  const { id, revision } = await defined(owner, definition);
  const { body } = await giveInput(owner, id, 'signal');
  const inputId = String(body['inputId']);
  // Wait for the last event of this, because tests that count events begin after it.
  await until('the look at the signal', async () => {
    const input = await owner.get(`/automations/${id}/inputs/${inputId}`);
    return input.body['outcome'] === 'not_matched' ? true : null;
  });
  return { automationId: id, inputId, revision };
}
