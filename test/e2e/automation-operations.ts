import { randomUUID } from 'node:crypto';
import type { TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import { defined, hand } from '@app/testing/journeys';
import type { Ids, OperationCall } from './operation-call';

const all = '/v1/users/:userId/automations';
const one = `${all}/:automationId`;
const ofOne = { id: 'automationId', in: 'path' } as const;

/** A rule that has a member of nearly every kind, and never holds for what tests send. */
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

const withRevision = ({ revision }: Ids) => ({ revision });
const handed = ({ revision }: Ids) => ({ revision, idempotencyKey: randomUUID() });
const event = { id: 'order-1', type: 'order.placed', occurredAt: '2026-05-05T10:00:00Z', data: {} };

/** The operations of automations, for the table of all. */
export const automationOperations: readonly OperationCall[] = [
  { operation: 'automations.create', method: 'POST', path: all, status: 201, body: () => definition },
  {
    operation: 'automations.list',
    method: 'GET',
    path: all,
    status: 200,
    query: { limit: '2', state: 'all' },
  },
  {
    operation: 'automations.search',
    method: 'GET',
    path: `${all}/search`,
    status: 200,
    query: { offset: '0', state: 'all', query: 'name' },
  },
  { operation: 'automations.get', method: 'GET', path: one, status: 200, resource: ofOne },
  {
    operation: 'automations.update',
    method: 'PUT',
    path: one,
    status: 200,
    resource: ofOne,
    body: ({ revision }) => ({ revision, definition }),
  },
  {
    operation: 'automations.pause',
    method: 'POST',
    path: `${one}/pause`,
    status: 200,
    resource: ofOne,
    body: withRevision,
  },
  {
    operation: 'automations.resume',
    method: 'POST',
    path: `${one}/resume`,
    status: 200,
    resource: ofOne,
    body: withRevision,
  },
  { operation: 'automations.status', method: 'GET', path: `${one}/status`, status: 200, resource: ofOne },
  {
    operation: 'automations.rotateWebhookSecret',
    method: 'POST',
    status: 200,
    resource: ofOne,
    path: `${one}/rotate-webhook-secret`,
    body: withRevision,
  },
  {
    operation: 'automations.signal',
    method: 'POST',
    path: `${one}/signal`,
    status: 200,
    resource: ofOne,
    body: handed,
  },
  {
    operation: 'automations.invoke',
    method: 'POST',
    path: `${one}/invoke`,
    status: 202,
    resource: ofOne,
    body: handed,
  },
  {
    operation: 'automations.occurrences',
    method: 'GET',
    path: `${one}/occurrences`,
    status: 200,
    resource: ofOne,
    query: { limit: '2', delivery: 'accepted' },
  },
  {
    operation: 'automations.input',
    method: 'GET',
    path: `${one}/inputs/:inputId`,
    status: 200,
    resource: ofOne,
  },
  {
    operation: 'automations.testCondition',
    method: 'POST',
    status: 200,
    resource: ofOne,
    path: `${one}/test-condition`,
    body: () => ({ event }),
  },
  {
    operation: 'automations.simulate',
    method: 'POST',
    path: `${one}/simulate`,
    status: 200,
    resource: ofOne,
    body: () => ({ from: '2026-05-05T10:00:00Z', to: '2026-05-05T11:00:00.000Z' }),
  },
  { operation: 'automations.remove', method: 'DELETE', path: one, status: 204, resource: ofOne },
];

/** Those after which another revision is the present one, or none. */
const changing: readonly string[] = ['automations.update', 'automations.pause', 'automations.remove'];

/** Whether the operation needs an automation that no other test acts on. */
export function changesAutomation(operation: string): boolean {
  return changing.includes(operation);
}

/** A new automation of the owner's, and a signal that it was handed. */
export async function anAutomation(owner: TestClient): Promise<Pick<Ids, 'automationId' | 'inputId' | 'revision'>> {
  const { id, revision } = await defined(owner, definition);
  const { body } = await hand(owner, id, 'signal');
  const inputId = String(body['inputId']);
  // Whoever counts events must not count what comes of it.
  await until('the look at the signal', async () => {
    const input = await owner.get(`/automations/${id}/inputs/${inputId}`);
    return input.body['outcome'] === 'not_matched' ? true : null;
  });
  return { automationId: id, inputId, revision };
}
