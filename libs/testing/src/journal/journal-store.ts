import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeEvent, EventStore, personalPathsOf, sealEvent } from '@app/event-store';
import { KeyRing, sealedForConversation } from '@app/sealing';
import { MemoryKeys } from '../deciders/memory-keys';
import { startEventStoreServer } from '@app/event-store-server';
import { conversationKind, type ConversationEvent } from '@app/conversations';
import {
  asId,
  instantOf,
  type Cause,
  type ConversationId,
  type MessageId,
  type RunId,
  type RunKey,
  type UserId,
} from '@app/kernel';
import { readStoreMigrations, Database, migrate, Notifications, Processes } from '@app/read-store';
import { v7 as uuidV7 } from 'uuid';
import { madeStore } from '../event-store/made-store';
import { createTestDatabase } from '../postgres';
import { journalReadModel } from '@app/journal';

export const newConversationId = (): ConversationId => asId<ConversationId>(uuidV7());
export const newUserId = (): UserId => asId<UserId>(uuidV7());

/** An event store, embedded unless another one is given, and a migrated database of the test's own. */
export interface TestStores {
  readonly store: EventStore;
  /** Every key exists. */
  readonly keys: KeyRing;
  readonly database: Database;
  readonly notifications: Notifications;
  readonly processes: Processes;
  readonly databaseUrl: string;
  readonly storeUrl: string;
  /** Appends `count` messages (after creating the conversation, if it is new); returns the stream's last revision. */
  append(id: ConversationId, owner: UserId, count: number, text?: string): Promise<number>;
  /** Stops the embedded event store, and starts it again after a while. */
  restartStore(awayMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** @param givenUrl an event store that is already running; other tests may use it as well */
export async function startStores(givenUrl?: string): Promise<TestStores> {
  const created = await createTestDatabase(madeStore);
  const { url } = created;
  const folder = await mkdtemp(join(tmpdir(), 'journal-test-'));
  const startServer = () => startEventStoreServer({ databaseUrl: url, listen: { socketPath: join(folder, 'store') } });
  let server = givenUrl === undefined ? await startServer() : null;
  const storeUrl = givenUrl ?? server?.address ?? '';
  const keys = new KeyRing(new MemoryKeys(true));
  const store = EventStore.connect(storeUrl, undefined, keys);
  const migrations = [...readStoreMigrations, ...journalReadModel.migrations];
  const database = await Database.connect({ url, poolSize: 10, rows: [], migrations });
  await migrate(database);
  const notifications = new Notifications(url);
  await notifications.open();
  const processes = new Processes(database, { api: true, worker: false });
  await processes.start();
  return {
    store,
    keys,
    database,
    notifications,
    processes,
    databaseUrl: url,
    storeUrl,
    append: (id, owner, count, text) => append(store, keys, id, owner, { count, text: text ?? 'hello' }),
    restartStore: async (awayMs) => {
      await server?.close();
      await sleep(awayMs);
      server = await startServer();
    },
    stop: async () => {
      await store.dispose();
      keys.close();
      await server?.close();
      await notifications.close();
      await processes.stop();
      await database.close();
      await rm(folder, { recursive: true });
      await created.drop();
    },
  };
}

async function append(
  store: EventStore,
  keys: KeyRing,
  id: ConversationId,
  owner: UserId,
  { count, text }: { count: number; text: string },
): Promise<number> {
  const stream = `conversation-${id}`;
  const revision = await store.lastRevision(stream);
  const events = Array.from({ length: count }, (_, index) => message(`${text} ${revision + index + 1}`));
  if (revision === -1) events.unshift(created(owner));
  const cause = causeOf(owner);
  const place = sealedForConversation(id, owner);
  const key = await keys.keyOf(place);
  const encoded = events.map((event) => {
    const paths = personalPathsOf(conversationKind.members, event.type);
    return sealEvent(encodeEvent(conversationKind, event, cause), paths, place.keyId, key);
  });
  const appended = await store.append(stream, encoded, revision);
  if (appended.kind === 'conflict') throw new Error('the test appended twice at once');
  return appended.revision;
}

export function message(text: string, messageId = uuidV7()): ConversationEvent {
  return {
    type: 'agent.message',
    at: instantOf(Date.now()),
    runId: asId<RunId>(uuidV7()),
    runKey: asId<RunKey>(uuidV7()),
    messageId: asId<MessageId>(messageId),
    text,
    truncated: false,
  };
}

function created(userId: UserId): ConversationEvent {
  const at = instantOf(Date.now());
  return { type: 'conversation.created', at, title: null, origin: 'conversation', automationId: null, userId };
}

export function causeOf(owner: UserId): Cause {
  const actor = { kind: 'user', id: owner, partnerKeyId: uuidV7() } as const;
  return { actor, requestId: asId(uuidV7()), correlationId: uuidV7(), causationId: uuidV7() };
}
