import { asId, type ConversationId, type IdentityId, type UserId } from '@app/kernel';
import {
  conversationKeyId,
  identityHashKey,
  identityKeyId,
  sealedForConversation,
  sealedForUser,
  userKeyId,
} from '@app/sealing';
import { until } from '@app/testing/event-store';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { v7 as uuidV7 } from 'uuid';
import type { Database } from '../src';
import { PostgresSnapshots } from '../src/postgres-snapshots';
import { keyRingOf, postgresKeysOf } from './key-ring-of';
import { openTallies } from './tally';

let test: TestDatabase;
let database: Database;
beforeAll(async () => {
  test = await createTestDatabase();
  database = await openTallies(test.url);
});
afterAll(async () => {
  await database.close();
  await test.drop();
});

const newUser = () => asId<UserId>(uuidV7());
const newConversation = () => asId<ConversationId>(uuidV7());
const destroy = (keyId: string) =>
  database.query('UPDATE sealing_keys SET wrapped = NULL, destroyed_at = now() WHERE key_id = $1', [keyId]);
const wrappedOf = async (keyId: string) =>
  (await database.query<{ wrapped: Buffer }>('SELECT wrapped FROM sealing_keys WHERE key_id = $1', [keyId]))[0]
    ?.wrapped;

it('a key is made once, however many ask for it at once, and is stored wrapped', async () => {
  const place = sealedForUser(newUser());
  const made = await Promise.all(Array.from({ length: 20 }, () => postgresKeysOf(database).make(place)));
  const [key] = made;
  expect(new Set(made.map((one) => one?.toString('hex'))).size).toBe(1);
  expect(key).toHaveLength(32);
  expect((await wrappedOf(place.keyId))?.includes(key ?? '')).toBe(false);
  expect(await postgresKeysOf(database).read([place.keyId, userKeyId(newUser())])).toEqual(
    new Map([[place.keyId, key]]),
  );
});

it("a conversation has a key of its own, which is gone with its salt, and with its user's key", async () => {
  const [userId, one, other] = [newUser(), newConversation(), newConversation()];
  const keys = postgresKeysOf(database);
  const made = [
    await keys.make(sealedForConversation(one, userId)),
    await keys.make(sealedForConversation(other, userId)),
  ];
  const ids = [userKeyId(userId), conversationKeyId(one), conversationKeyId(other)];
  const all = await keys.read(ids);
  expect(new Set([...all.values()].map((key) => key?.toString('hex'))).size).toBe(3);
  expect(made).toEqual([all.get(conversationKeyId(one)), all.get(conversationKeyId(other))]);

  await destroy(conversationKeyId(one));
  expect([...(await keys.read(ids)).values()].filter((key) => key === null)).toHaveLength(1);
  expect((await keys.read(ids)).get(conversationKeyId(one))).toBeNull();
  expect(await keys.make(sealedForConversation(one, userId))).toBeNull();

  await destroy(userKeyId(userId));
  expect([...(await keys.read(ids)).values()]).toEqual([null, null, null]);
  expect(await keys.make(sealedForConversation(newConversation(), userId))).toBeNull();
});

it('no key is made for a user whose own key is destroyed, of whatever kind', async () => {
  const userId = newUser();
  await postgresKeysOf(database).make(sealedForUser(userId));
  await destroy(userKeyId(userId));
  const identity = { keyId: identityKeyId(asId<IdentityId>('0f'.repeat(32))), userId };
  for (const sealedFor of [identity, sealedForConversation(newConversation(), userId)]) {
    expect(await postgresKeysOf(database).make(sealedFor)).toBeNull();
    expect(await wrappedOf(sealedFor.keyId)).toBeUndefined();
  }
  expect(await postgresKeysOf(database).make(identityHashKey)).toHaveLength(32);
});

it('a wrapped key opens in no other row', async () => {
  const [ada, eve] = [sealedForUser(newUser()), sealedForUser(newUser())];
  const keys = postgresKeysOf(database);
  await keys.make(ada);
  await keys.make(eve);
  await database.query('UPDATE sealing_keys SET wrapped = $1 WHERE key_id = $2', [
    await wrappedOf(ada.keyId),
    eve.keyId,
  ]);
  await expect(keys.read([eve.keyId])).rejects.toThrow();
});

it('a snapshot of a stream with words is stored sealed, and is none any more once the key is gone', async () => {
  const snapshots = new PostgresSnapshots(database, keyRingOf(database));
  const [stream, userId] = [`diary-${uuidV7()}`, newUser()];
  const state = { title: 'Ada Lovelace', list: [1, { two: null }] };
  snapshots.saveLater({ stream, version: 1, revision: 7, state, sealedFor: sealedForUser(userId) });
  const texts = () =>
    database.query<{ text: string }>('SELECT state::text AS text FROM snapshots WHERE stream = $1', [stream]);
  await until(async () => (await texts()).length === 1);
  expect((await texts())[0]?.text).not.toContain('Lovelace');
  expect(await snapshots.load(stream, 1)).toEqual({ stream, version: 1, revision: 7, state });
  await destroy(userKeyId(userId));
  expect(await new PostgresSnapshots(database, keyRingOf(database)).load(stream, 1)).toBeNull();
});
