/** The log's key through changes of the secret key. */
import { randomBytes } from 'node:crypto';
import { Database, migrate, readStoreMigrations } from '@app/read-store';
import { readConfiguration } from '@app/settings';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { verifierKeyText } from '@app/transparency';
import { keepLogSeed, LogKeys, logSeedMigrations, possibleLogKeys } from '../src/signing/log-keys';

const origin = 'parley/test';
const random = () => randomBytes(32);
const configured = (...entries: readonly Buffer[]) =>
  readConfiguration({ PARLEY_SECRET_KEY: entries.map((entry) => entry.toString('base64')).join(',') });

let test: TestDatabase;
let database: Database;
beforeEach(async () => {
  test = await createTestDatabase();
  const migrations = [...readStoreMigrations, ...logSeedMigrations];
  database = await Database.connect({ url: test.url, poolSize: 2, rows: [], migrations });
});
afterEach(async () => {
  await database.close();
  await test.drop();
});

const keyOf = async (...entries: readonly Buffer[]) =>
  verifierKeyText(await new LogKeys(database, configured(...entries)).of(origin));
const possible = async (...entries: readonly Buffer[]) =>
  (await possibleLogKeys(database, configured(...entries), origin)).map((key) => verifierKeyText(key));

it('is the one that versions before derived, whichever entry is in front, and the first process decides', async () => {
  const [old, fresh] = [random(), random()];
  const [derived] = await possible(old);
  await migrate(database);
  await keepLogSeed(database, configured(fresh, old), old);
  await keepLogSeed(database, configured(fresh, old), fresh);
  expect(await keyOf(fresh, old)).toBe(derived);
  expect(await keyOf(old, fresh)).toBe(derived);
  expect(await keyOf(fresh)).toBe(derived);
  expect((await possible(fresh))[0]).toBe(derived);
  await expect(keyOf(old)).rejects.toThrow('no entry of PARLEY_SECRET_KEY opens what is sealed for log_seed');
});

it('is that of AUDIT_SIGNING_KEY where it is set', async () => {
  const AUDIT_SIGNING_KEY = random().toString('base64');
  const given = readConfiguration({ AUDIT_SIGNING_KEY, PARLEY_SECRET_KEY: random().toString('base64') });
  const key = verifierKeyText(await new LogKeys(database, given).of(origin));
  expect((await possibleLogKeys(database, given, origin)).map((one) => verifierKeyText(one))).toEqual([key]);
});

it('may be that of each entry where no seed is stored, and is none without a secret', async () => {
  const [old, fresh] = [random(), random()];
  expect(await possible(fresh, old)).toEqual([...(await possible(fresh)), ...(await possible(old))]);
  expect(await possibleLogKeys(database, readConfiguration({}), origin)).toEqual([]);
  await migrate(database);
  expect(await possible(fresh, old)).toHaveLength(2);
  await expect(keyOf(fresh)).rejects.toThrow('the seed of the log is not stored');
});

it('is read again after a failure, and then kept for the life of the process', async () => {
  const old = random();
  const keys = new LogKeys(database, configured(old));
  await expect(keys.of(origin)).rejects.toThrow();
  await migrate(database);
  await keepLogSeed(database, configured(old), old);
  const key = await keys.of(origin);
  await database.query('DELETE FROM log_seed');
  expect(await keys.of(origin)).toEqual(key);
});
