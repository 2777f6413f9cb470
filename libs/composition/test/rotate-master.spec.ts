/** Every sealed value gets under the newest key, whatever happens meanwhile, and the counts say what is left. */
import { randomBytes, randomUUID } from 'node:crypto';
import { possibleLogKeys } from '@app/audit';
import { Database, migrate, readStoreMigrations } from '@app/read-store';
import { Sealing, type SealedTable } from '@app/runtime';
import { readConfiguration } from '@app/settings';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { verifierKeyText } from '@app/transparency';
import { walletKeysTable } from '@app/wallets';
import { countSealed, rotateMaster } from '../src/rotate-master';
import { sealedTables, sealingCheckTable } from '../src/sealed-tables';
import { checkSealing, opensSealed } from '../src/sealing-check';
import { readStore } from '../src/slices';

/** More than two batches. */
const wallets = 1_100;
const random = () => randomBytes(32).toString('base64');
const [old, fresh] = [random(), random()];
const configured = (...entries: readonly string[]) => readConfiguration({ PARLEY_SECRET_KEY: entries.join(',') });
const both = configured(fresh, old);

let test: TestDatabase;
let database: Database;
beforeEach(async () => {
  test = await createTestDatabase();
  const migrations = [...readStoreMigrations, ...readStore.migrations];
  database = await Database.connect({ url: test.url, poolSize: 3, rows: readStore.rows, migrations });
  await migrate(database);
  await checkSealing(database, configured(old));
  await keepWallets(
    old,
    Array.from({ length: wallets }, () => randomUUID()),
  );
  const keys = [randomUUID(), randomUUID()] as const;
  const hook = sealed(old, 'parley/webhook-keys/1', keys.join('/'));
  await database.query('INSERT INTO webhook_keys (key_id, automation_id, sealed) VALUES ($1, $2, $3)', [...keys, hook]);
  const endpoint = sealed(old, 'parley/webhook-endpoint-keys/1', keys.join('/'));
  const insert = 'INSERT INTO webhook_endpoint_keys (key_id, endpoint_id, sealed) VALUES ($1, $2, $3)';
  await database.query(insert, [...keys, endpoint]);
  const words = sealed(old, 'parley/sealing-keys/1', 'u/ada');
  await database.query("INSERT INTO sealing_keys (key_id, wrapped) VALUES ('u/ada', $1), ('u/destroyed', NULL)", [
    words,
  ]);
}, 60_000);
afterEach(async () => {
  await database.close();
  await test.drop();
});

const sealed = (entry: string, label: string, boundTo: string, plain = 'a secret') =>
  new Sealing(configured(entry), label).seal(Buffer.from(plain), boundTo);

/** Keys of wallets, each of which holds its user's id. */
async function keepWallets(entry: string, userIds: readonly string[]): Promise<void> {
  const sealing = new Sealing(configured(entry), walletKeysTable.label);
  const publicKeys = userIds.map((userId) => `public ${userId}`);
  const values = userIds.map((userId) => sealing.seal(Buffer.from(userId), `${userId}/public ${userId}`));
  await database.query(
    'INSERT INTO wallet_keys (user_id, public_key, sealed) SELECT * FROM unnest($1::uuid[], $2::text[], $3::bytea[])',
    [userIds, publicKeys, values],
  );
}

const steps: string[] = [];
beforeEach(() => void steps.splice(0));
const rotate = (configuration = both) =>
  rotateMaster(database, configuration, (table, round) => (done, total) => {
    steps.push(`${round} ${table} ${done}/${total}`);
  });

/** The counts of each table, as `values/older/closed`. */
const shown = (counts: Awaited<ReturnType<typeof countSealed>>) =>
  Object.fromEntries(counts.map(({ table, values, older, closed }) => [table, `${values}/${older}/${closed}`]));
const contentOf = async ({ table, key, value }: SealedTable) =>
  database.query<Record<string, unknown>>(`SELECT to_jsonb(t) - '${value}' AS row FROM ${table} AS t ORDER BY ${key}`);
/** The key that signs the log: the first of those that the secrets make. */
async function logKeyOf(...entries: readonly string[]): Promise<string> {
  const [key] = await possibleLogKeys(database, configured(...entries), 'parley/test');
  return key === undefined ? 'none' : verifierKeyText(key);
}
const allClean = {
  wallet_keys: `${wallets}/0/0`,
  webhook_keys: '1/0/0',
  webhook_endpoint_keys: '1/0/0',
  sealing_keys: '1/0/0',
  log_seed: '1/0/0',
  sealing_check: '1/0/0',
};

it('seals every value again, changes nothing else, and has nothing to do then', async () => {
  const logKey = await logKeyOf(old);
  const before = await Promise.all(sealedTables.map(contentOf));
  expect(shown(await countSealed(database, both))).toEqual({
    ...allClean,
    wallet_keys: `${wallets}/${wallets}/0`,
    webhook_keys: '1/1/0',
    webhook_endpoint_keys: '1/1/0',
    sealing_keys: '1/1/0',
    log_seed: '1/1/0',
    sealing_check: '1/1/0',
  });
  expect(shown(await rotate())).toEqual(allClean);
  expect(steps.filter((step) => step.startsWith('1 wallet_keys'))).toEqual(
    [500, 1_000, wallets, wallets].map((done) => `1 wallet_keys ${done}/${wallets}`),
  );
  expect(await Promise.all(sealedTables.map(contentOf))).toEqual(before);
  expect(shown(await countSealed(database, configured(fresh)))).toEqual(allClean);
  expect(await logKeyOf(fresh)).toBe(logKey);
  await checkSealing(database, configured(fresh));
  await expect(checkSealing(database, configured(old))).rejects.toThrow('belongs to other data');
  const [wallet] = await database.query<{ user_id: string; public_key: string; sealed: Buffer }>(
    'SELECT * FROM wallet_keys LIMIT 1',
  );
  const opened = new Sealing(configured(fresh), walletKeysTable.label).open(
    wallet?.sealed ?? Buffer.alloc(0),
    `${wallet?.user_id}/${wallet?.public_key}`,
  );
  expect(opened.toString()).toBe(wallet?.user_id);

  const values = await database.query('SELECT sealed FROM wallet_keys ORDER BY user_id');
  await rotate();
  expect(await database.query('SELECT sealed FROM wallet_keys ORDER BY user_id')).toEqual(values);
});

it('leaves what no entry opens, and the check that refuses a start without the older entry', async () => {
  const lost = randomUUID();
  await keepWallets(random(), [lost]);
  const bytes = await database.query('SELECT sealed FROM wallet_keys WHERE user_id = $1', [lost]);
  expect(shown(await rotate())).toEqual({
    ...allClean,
    wallet_keys: `${wallets + 1}/0/1`,
    sealing_check: '1/1/0',
  });
  expect(await database.query('SELECT sealed FROM wallet_keys WHERE user_id = $1', [lost])).toEqual(bytes);
  expect(await opensSealed(database, configured(fresh))).toBe(false);
});

it('waits for no lock: it says that a locked value needs an older entry, and seals it the next time', async () => {
  const counts = await database.transaction(async (manager) => {
    await manager.query('SELECT 1 FROM webhook_keys FOR UPDATE');
    return rotate();
  });
  expect(shown(counts)).toEqual({ ...allClean, webhook_keys: '1/1/0', sealing_check: '1/1/0' });
  expect(await opensSealed(database, configured(fresh))).toBe(false);
  expect(shown(await rotate())).toEqual(allClean);
});

it('keeps a value that was changed or deleted since it was read, and takes one that came meanwhile under an older entry', async () => {
  const rows = await database.query<{ user_id: string }>('SELECT user_id FROM wallet_keys ORDER BY user_id LIMIT 2');
  const [changed = '', deleted = ''] = rows.map(({ user_id }) => user_id);
  const query = database.query.bind(database);
  let isDone = false;
  jest.spyOn(database, 'query').mockImplementation(async (text, values, name) => {
    if (!isDone && text.includes('UPDATE wallet_keys')) {
      isDone = true;
      const another = sealed(fresh, 'parley/wallet-keys/1', `${changed}/public ${changed}`, 'another');
      await query('UPDATE wallet_keys SET sealed = $2 WHERE user_id = $1', [changed, another]);
      await query('DELETE FROM wallet_keys WHERE user_id = $1', [deleted]);
      await keepWallets(old, ['00000000-0000-4000-8000-000000000000']);
    }
    return query(text, values, name);
  });
  expect(shown(await rotate())).toEqual(allClean);
  expect(isDone).toBe(true);
  const [row] = await query<{ sealed: Buffer }>('SELECT sealed FROM wallet_keys WHERE user_id = $1', [changed]);
  const sealing = new Sealing(configured(fresh), walletKeysTable.label);
  expect(sealing.open(row?.sealed ?? Buffer.alloc(0), `${changed}/public ${changed}`).toString()).toBe('another');
  expect(await query('SELECT 1 FROM wallet_keys WHERE user_id = $1', [deleted])).toEqual([]);
});

it('passes over a value that was destroyed', async () => {
  await database.query('ALTER TABLE webhook_keys ALTER COLUMN sealed DROP NOT NULL');
  await database.query('UPDATE webhook_keys SET sealed = NULL');
  expect(shown(await rotate())).toEqual({ ...allClean, webhook_keys: '0/0/0' });
});

it('stores the seed of the log first, of the entry that the values are sealed with, where no start did', async () => {
  const logKey = await logKeyOf(old);
  await database.query('DELETE FROM log_seed');
  await rotate();
  expect(await logKeyOf(fresh)).toBe(logKey);
});

it('describes every table that has sealed values', async () => {
  const columns = await database.query<{ table_name: string }>(
    `SELECT table_name FROM information_schema.columns
     WHERE table_schema = 'public' AND data_type = 'bytea' AND column_name IN ('sealed', 'wrapped')`,
  );
  expect(sealedTables.map(({ table }) => table).sort()).toEqual(columns.map((column) => column.table_name).sort());
  expect(sealedTables.at(-1)).toBe(sealingCheckTable);
});
