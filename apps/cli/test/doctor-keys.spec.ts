/** The findings of `parley doctor` on the keys of words. */
import { readStore } from '@app/composition';
import { Database, readStoreMigrations } from '@app/read-store';
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
