// Conversations for the benchmarks, and their events.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  conversationKeyId,
  conversationKind,
  Database,
  encodeEvent,
  KeyRing,
  personalPathsOf,
  PostgresKeys,
  sealEvent,
  Sealing,
  sealingKeysTable,
} from './product.mjs';

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

/** Seals an encoded event of a conversation as the product does. */
function sealUnder(event, keyId, key) {
  return sealEvent(event, personalPathsOf(conversationKind.members, event.type), keyId, key);
}

/** Seals for benchmarks that open no words: the key is in no table. */
const sealed = (event) => sealUnder(event, conversationKeyId(streamlessId), streamlessKey);
const [streamlessId, streamlessKey] = [randomUUID(), randomBytes(32)];

/** Returns a function that seals events so that the product opens them in this conversation, which must exist. */
export async function sealerOf({ stores }, conversationId) {
  const database = await Database.connect({ url: stores.DATABASE_URL, poolSize: 1, rows: [], migrations: [] });
  const keys = new KeyRing(new PostgresKeys(database, new Sealing({ env: stores }, sealingKeysTable.label)));
  try {
    const keyId = conversationKeyId(conversationId);
    const key = (await keys.keysOf([keyId])).get(keyId);
    if (!key) throw new Error(`conversation ${conversationId} has no key`);
    return (event) => sealUnder(event, keyId, key);
  } finally {
    keys.close();
    await database.close();
  }
}

/** The first event of a conversation that belongs to a new user, as it is stored. */
export function created() {
  const title = 'Quarterly report for the board';
  const event = { type: 'conversation.created', at: new Date().toISOString(), userId: randomUUID(), title };
  return sealed(encodeEvent(conversationKind, { ...event, origin: 'conversation', automationId: null }, cause));
}

/** A stored event of a conversation, sealed as in the product: the smallest that a command produces. */
export function renamed(number) {
  return sealed(renaming(number));
}

/** The same event with its words open. */
export function renaming(number) {
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
export async function longConversation(deployment, user, events) {
  const { client } = deployment;
  const id = await newConversation(user);
  const seal = await sealerOf(deployment, id);
  for (let revision = 0; revision < events - 1;) {
    const count = Math.min(seededPerAppend, events - 1 - revision);
    const seeds = Array.from({ length: count }, (_, index) => seal(renaming(revision + index)));
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
