/** The findings of `parley doctor` on the keys of words. */
import { randomBytes, randomUUID } from 'node:crypto';
import { readStore } from '@app/composition';
import { Database, readStoreMigrations } from '@app/read-store';
import { sealValue } from '@app/sealing';
import { madeDatabase } from '@app/testing/deployment';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { keysFindings } from '../src/doctor/doctor-keys';

const [user, conversation] = ['0d0c8a8e-5b0c-4a5e-9b0c-0f3c2b7d9e11', '0d0c8a8e-5b0c-4a5e-9b0c-0f3c2b7d9e12'];

let created: TestDatabase;
let database: Database;
beforeEach(async () => {
  created = await createTestDatabase(madeDatabase);
  const { rows, projections, migrations: own } = readStore;
  const migrations = [...readStoreMigrations, ...own];
  database = await Database.connect({ url: created.url, poolSize: 1, rows, migrations, projections });
});
afterEach(async () => {
  await database.close();
  await created.drop();
});

const said = async () =>
  (await keysFindings(database)).map(({ what, state, says }) => {
    expect(what).toBe('keys of words');
    return `${state}: ${says}`;
  });
const makeKey = (id: string, userId: string | null = null) =>
  database.query('INSERT INTO sealing_keys (key_id, user_id, wrapped) VALUES ($1, $2, $3)', [id, userId, Buffer.of(1)]);
const destroyKey = (id: string) =>
  database.query('UPDATE sealing_keys SET wrapped = NULL, destroyed_at = now() WHERE key_id = $1', [id]);
const fine = ['ok: that of identities is there, and none of erased users'];

it('find nothing in a new deployment, which has made no key yet', async () => {
  expect(await said()).toEqual(fine);
});

describe('the key of identities', () => {
  beforeEach(async () => {
    await database.query(
      `INSERT INTO users (user_id, issuer, subject, disabled, provisioned_at, position)
       VALUES ($1, '{}', '{}', false, '2026-01-01T00:00:00.000Z', 1)`,
      [user],
    );
  });

  it('is bad where it is missing, and fine where it is there', async () => {
    expect(await said()).toEqual([
      expect.stringMatching(/^bad: d\/identity is missing .+ there are users: .+ second account; put the table back/),
    ]);
    await makeKey('d/identity');
    expect(await said()).toEqual(fine);
  });

  it('is a warning where it was left out of a restore', async () => {
    await makeKey('d/identity');
    await destroyKey('d/identity');
    expect(await said()).toEqual([expect.stringMatching(/^warning: they were left out .+ no user can sign in$/)]);
  });
});

it('are bad where they are missing and there are words under them', async () => {
  await makeKey('d/identity');
  const sealed = (keyId: string) => JSON.stringify(sealValue(randomBytes(32), { keyId, eventId: 'e', path: 'p' }, 'x'));
  const at = '2026-01-01T00:00:00.000Z';
  const person = (id: string, issuer: string) =>
    database.query(
      `INSERT INTO users (user_id, issuer, subject, disabled, provisioned_at, position) VALUES ($1, $2, $2, false, $3, 1)`,
      [id, issuer, at],
    );
  const talk = (id: string, title: string | null) =>
    database.query(
      `INSERT INTO conversations (id, user_id, title, origin, pending_approvals, last_seq, created_at, last_activity_at,
         activity_position, position) VALUES ($1, $2, $3, 'conversation', 0, 1, $4, $4, 1, 1)`,
      [id, user, title, at],
    );
  const says = (users: number, conversations: number) => [
    expect.stringMatching(
      `^bad: ${users} users and ${conversations} conversations have words and no key .+ put the rows`,
    ),
  ];
  // An earlier version stored these in clear, or they have no words.
  await person(conversation, 'https://login.example');
  await talk(conversation, 'a title in clear');
  await talk(randomUUID(), null);
  expect(await said()).toEqual(fine);

  await person(user, sealed(`u/${user}`));
  await talk(user, sealed(`c/${user}`));
  const untitled = randomUUID();
  await talk(untitled, null);
  await database.query(
    `INSERT INTO messages (id, conversation_id, seq, run_id, role, text, created_at, position)
     VALUES ($1, $2, 1, $1, 'assistant', $3, $4, 1)`,
    [randomUUID(), untitled, sealed(`c/${untitled}`), at],
  );
  expect(await said()).toEqual(says(1, 2));
  for (const id of [`u/${user}`, `c/${user}`]) await makeKey(id, user);
  expect(await said()).toEqual(says(0, 1));
  await makeKey(`c/${untitled}`, user);
  expect(await said()).toEqual(fine);
  // Words that were erased miss no key.
  for (const id of [`u/${user}`, `c/${user}`, `c/${untitled}`]) await destroyKey(id);
  expect(await said()).toEqual(fine);
  // Nor do those that were sealed after their user was erased.
  await database.query('DELETE FROM sealing_keys WHERE key_id = $1', [`c/${untitled}`]);
  expect(await said()).toEqual(fine);
});

it('are bad where those of erased users and closed conversations came back', async () => {
  await database.query(
    "INSERT INTO erasures (user_id, is_open, requested_at, position) VALUES ($1, false, '2026-01-01T00:00:00.000Z', 1)",
    [user],
  );
  await database.query(
    `INSERT INTO archived_conversations (id, archived_at, is_closed, position)
     VALUES ($1, '2026-01-01T00:00:00.000Z', true, 1), ($2, '2026-01-01T00:00:00.000Z', false, 2)`,
    [conversation, user],
  );
  await makeKey(`c/${user}`);
  expect(await said()).toEqual(fine);
  await makeKey(`c/${conversation}`);
  expect(await said()).toEqual([expect.stringMatching(/^bad: 0 erased users and 1 closed conversations have keys /)]);
  await makeKey(`u/${user}`, user);
  expect(await said()).toEqual([expect.stringMatching(/^bad: 1 erased users and 1 closed .+: start a worker, which /)]);
  for (const id of [`c/${conversation}`, `u/${user}`]) await destroyKey(id);
  expect(await said()).toEqual(fine);
});
