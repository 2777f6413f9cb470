import { asId, type ConversationId, type UserId } from '@app/kernel';
import { conversationKeyId, KeyRing, sealedForConversation, sealedForUser, userKeyId } from '@app/sealing';
import { until } from '@app/testing/event-store';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { Client } from 'pg';
import { v7 as uuidV7 } from 'uuid';
import { KeyErasure, type Database } from '../src';
import { postgresKeysOf } from './key-ring-of';
import { openTallies } from './tally';

const full = process.env['FIGURES'] === 'full';
const rowCounts = full ? [10_000, 100_000] : [10_000];

let test: TestDatabase;
let database: Database;
let erasure: KeyErasure;
beforeAll(async () => {
  test = await createTestDatabase();
  database = await openTallies(test.url);
  erasure = new KeyErasure(database);
});
afterAll(async () => {
  await database.close();
  await test.drop();
});

const newUser = () => asId<UserId>(uuidV7());

/** A user with so many conversations that have words; returns the names of the conversations' keys. */
async function withKeys(userId: UserId, conversations: number) {
  const ids = Array.from({ length: conversations }, () => asId<ConversationId>(uuidV7()));
  for (const id of ids) await postgresKeysOf(database).make(sealedForConversation(id, userId));
  return ids.map(conversationKeyId);
}

const wrappedOf = async (userId: UserId) =>
  (
    await database.query<{ wrapped: Buffer }>(
      'SELECT wrapped FROM sealing_keys WHERE user_id = $1 AND wrapped IS NOT NULL',
      [userId],
    )
  ).map(({ wrapped }) => wrapped);

/** The bytes of the table as they are on disk. */
async function tableBytes(): Promise<Buffer> {
  await database.query('CHECKPOINT');
  const [row] = await database.query<{ bytes: Buffer }>(
    "SELECT pg_read_binary_file(pg_relation_filepath('sealing_keys')) AS bytes",
  );
  return row?.bytes ?? Buffer.alloc(0);
}

/** Cleans until it is possible: autovacuum's ANALYZE of any table here still needs old versions. */
async function untilClean(how: 'rewritten' | 'vacuumed', bytesMax?: number): Promise<void> {
  let result: Awaited<ReturnType<KeyErasure['clean']>> = null;
  await until(async () => (result = await erasure.clean(bytesMax)) !== null);
  expect(result).toBe(how);
}

it("destroys a user's keys, and no other's, once", async () => {
  const [ada, eve] = [newUser(), newUser()];
  const [ofAda, ofEve] = [await withKeys(ada, 3), await withKeys(eve, 1)];
  expect(await erasure.destroy(ada)).toEqual({ user: 1, conversations: 3, identities: 0 });
  const keys = await postgresKeysOf(database).read([userKeyId(ada), ...ofAda, userKeyId(eve), ...ofEve]);
  expect([...keys.values()].filter((key) => key === null)).toHaveLength(4);
  const times = () => database.query('SELECT key_id, destroyed_at FROM sealing_keys WHERE user_id = $1', [ada]);
  const before = await times();
  expect(await erasure.destroy(ada)).toEqual({ user: 1, conversations: 3, identities: 0 });
  expect(await times()).toEqual(before);
  expect(await erasure.namesOf(ada, 'c')).toEqual(ofAda.map((id) => id.slice(2)).sort());
});

it('destroys the key of a user who has none yet, so that none is ever made', async () => {
  const ada = newUser();
  expect(await erasure.destroy(ada)).toEqual({ user: 1, conversations: 0, identities: 0 });
  expect(await postgresKeysOf(database).make(sealedForUser(ada))).toBeNull();
});

it('leaves no old version of a row with a key in the file of the table', async () => {
  const [ada, eve] = [newUser(), newUser()];
  await withKeys(ada, 2);
  await withKeys(eve, 1);
  const [ofAda, ofEve] = [await wrappedOf(ada), await wrappedOf(eve)];
  const found = async (keys: readonly Buffer[]) => {
    const bytes = await tableBytes();
    return keys.filter((key) => bytes.includes(key)).length;
  };
  await erasure.destroy(ada);
  expect([ofAda.length, await found(ofAda)]).toEqual([3, 3]);
  await untilClean('rewritten');
  expect([await found(ofAda), await found(ofEve)]).toEqual([0, 2]);
});

it.each([
  ['a transaction that may still read old versions', 'SELECT 1'],
  ['a statement that reads the table', 'SELECT count(*) FROM sealing_keys'],
])('is not rewritten while there is %s, and keeps nobody waiting for that', async (_, statement) => {
  const reader = new Client({ connectionString: test.url });
  await reader.connect();
  try {
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await reader.query(statement);
    await withKeys(newUser(), 1);
    const ada = newUser();
    await withKeys(ada, 1);
    await erasure.destroy(ada);
    expect(await erasure.clean()).toBeNull();
    expect(await postgresKeysOf(database).make(sealedForUser(newUser()))).toHaveLength(32);
  } finally {
    await reader.end();
  }
  await untilClean('rewritten');
});

it.each(rowCounts)('is rewritten in a short time: %i rows', async (count) => {
  await database.query(
    `INSERT INTO sealing_keys (key_id, user_id, wrapped)
     SELECT 'c/' || gen_random_uuid(), gen_random_uuid(), sha256(n::text::bytea) || sha256(n::text::bytea)
     FROM generate_series(1, $1::integer) AS n`,
    [count],
  );
  const startedMs = performance.now();
  await untilClean('rewritten');
  const [size] = await database.query<{ count: number; bytes: number }>(
    "SELECT (SELECT count(*)::int FROM sealing_keys) AS count, pg_total_relation_size('sealing_keys') AS bytes",
  );
  console.log(
    `${size?.count} keys, ${size?.bytes} bytes, rewritten in ${Math.round(performance.now() - startedMs)} ms`,
  );
});

it('of a table that is too large for that, old versions of rows are removed', async () => {
  const ada = newUser();
  await withKeys(ada, 1);
  await erasure.destroy(ada);
  await untilClean('vacuumed', 0);
});

it('a process forgets keys that were destroyed', async () => {
  const ring = new KeyRing(postgresKeysOf(database));
  const ada = newUser();
  const [id] = [userKeyId(ada)];
  await ring.keyOf(sealedForUser(ada));
  await erasure.destroy(ada);
  expect(ring.peek(id)).toHaveLength(32);
  ring.forget([id]);
  expect([ring.peek(id), [...(await ring.keysOf([id])).values()]]).toEqual([undefined, [null]]);
  ring.forgetAll();
  expect(ring.peek(id)).toBeUndefined();
  ring.close();
});
