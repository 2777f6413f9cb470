// Conversations for the benchmarks, and their events.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { conversationKind, encodeEvent } from './product.mjs';

const seededPerAppend = 500;
const pollMs = 100;

const requestId = randomUUID();
/** The metadata of events that no request caused. */
export const cause = {
  actor: { kind: 'service', id: 'bench' },
  requestId,
  correlationId: requestId,
  causationId: requestId,
};

/** The first event of a conversation that belongs to a new user. */
export function created() {
  const title = 'Quarterly report for the board';
  const event = { type: 'conversation.created', at: new Date().toISOString(), userId: randomUUID(), title };
  return encodeEvent(conversationKind, { ...event, origin: 'conversation', automationId: null }, cause);
}

/** A stored event of a conversation, encoded as in the product: the smallest that a command produces. */
export function renamed(number) {
  const title = `Quarterly report for the board, revision ${String(number).padStart(6, '0')}`;
  return encodeEvent(conversationKind, { type: 'conversation.updated', at: new Date().toISOString(), title }, cause);
}

export const streamOf = (conversationId) => `${conversationKind.category}-${conversationId}`;

/** Creates a conversation of a user. Returns its id. */
export async function newConversation(user) {
  const { id } = await user.post('/conversations', { title: 'Quarterly report for the board' });
  return id;
}

/**
 * Creates a conversation whose stream has `events` events. Resolves with its id once the read models have seen them
 * all.
 */
export async function longConversation({ client }, user, events) {
  const id = await newConversation(user);
  for (let revision = 0; revision < events - 1;) {
    const count = Math.min(seededPerAppend, events - 1 - revision);
    const seeds = Array.from({ length: count }, (_, index) => renamed(revision + index));
    await client.appendToStream(streamOf(id), seeds, { expectedRevision: BigInt(revision) });
    revision += count;
  }
  while ((await listed(user, id)).lastSeq < events) await sleep(pollMs);
  return id;
}

async function listed(user, id) {
  const { data } = await user.get('/conversations?limit=100');
  return data.find((conversation) => conversation.id === id);
}
