import { randomUUID } from 'node:crypto';
import type { JsonValue } from '@app/kernel';
import { requestJson } from '@app/testing/client';
import { act, read } from '@app/testing/journeys';
import { Webhook } from 'standardwebhooks';
import type { Writer } from './writer';

/** A definition with a word in every place that takes one, and a condition that compares texts of an event. */
const definition = {
  name: 'rule §',
  prompt: 'repeat after me: §',
  conversation: 'new',
  profile: {
    model: 'parley/rules',
    instructions: 'say §',
    outputSchema: {
      type: 'object',
      description: 'about §',
      properties: { '§p': { type: 'string', description: 'a §', enum: ['§', 'x'] }, '§': { const: '§' } },
      required: ['§p'],
    },
  },
  wake: { kind: 'event', types: ['order.placed'] },
  condition: {
    bindings: [{ name: 'order', source: { kind: 'event' }, maxAgeSeconds: 600 }],
    rule: {
      any: [
        { compare: { left: { binding: 'order', field: '/data/§' }, op: 'eq', right: { value: '§' } } },
        { compare: { left: { value: '§' }, op: 'eq', right: { binding: 'order', field: '/data/§' } } },
        { exists: { binding: 'order', field: '/data/§' } },
        { exists: { value: '§' } },
        { exists: { binding: 'order', field: '/data/total' } },
      ],
    },
  },
  firing: { trigger: 'match', cooldownSeconds: 0, overlap: 'queue', retryForSeconds: 60 },
};

/** Writes an automation, changes it, wakes it in every way, and searches for it. Returns its id. */
export async function writeAutomations(writer: Writer): Promise<string> {
  const { user } = writer;
  const created = await writer.send('automations.create', 'POST', '/automations', definition);
  const id = String(created['id']);
  const { revision } = await read(user, id);
  await writer.send('automations.update', 'PUT', `/automations/${id}`, { revision, definition });
  const event = {
    id: 'order-§',
    type: 'order.placed',
    occurredAt: '2026-05-05T10:00:00Z',
    data: { total: '§', '§': ['§'] },
  };
  await writer.send('automations.testCondition', 'POST', `/automations/${id}/test-condition`, { event });
  for (const way of ['signal', 'invoke']) {
    const { revision: current } = await read(user, id);
    const body = { revision: current, idempotencyKey: randomUUID(), input: { total: 'a §', '§': { deep: ['§'] } } };
    await writer.send(`automations.${way}`, 'POST', `/automations/${id}/${way}`, body);
  }
  await wake(writer, id, event);
  await writer.get('automations.search', '/automations/search', { query: 'rule §' });
  await writer.get('automations.search', '/automations/search', { query: '§' });
  for (const action of ['pause', 'resume'] as const) await act(user, id, action);
  return id;
}

/** Sends events as a partner's system does, with its signature, and one whose signature is wrong. */
async function wake(writer: Writer, id: string, event: JsonValue): Promise<void> {
  const { user } = writer;
  const { body: hook } = await act(user, id, 'rotate-webhook-secret');
  const send = async (places: string[], secret: string): Promise<number> => {
    const body = writer.marked('automations.webhook body', event, places);
    const messageId = writer.marked('automations.webhook header webhook-id', 'msg_§', places);
    const at = new Date();
    const headers = {
      'webhook-id': messageId,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign(messageId, at, JSON.stringify(body)),
    };
    // Reason for the assertion: the template is an object.
    return (await requestJson('POST', `${user.baseUrl}${String(hook['path'])}`, body as object, headers)).status;
  };
  const taken: string[] = [];
  expect(await send(taken, String(hook['signingSecret']))).toBe(202);
  for (const place of taken) writer.accepted.add(place);
  expect(await send([], `whsec_${Buffer.alloc(32).toString('base64')}`)).toBe(401);
}
