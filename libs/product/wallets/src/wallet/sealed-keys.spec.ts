import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { asId, type UserId } from '@app/kernel';
import { readStoreMigrations, Database, migrate } from '@app/read-store';
import { readConfiguration } from '@app/settings';
import { v4 as uuidV4 } from 'uuid';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { SealedKeys, walletKeysMigrations } from './sealed-keys';

let test: TestDatabase;
let database: Database;
beforeAll(async () => {
  test = await createTestDatabase();
  const migrations = [...readStoreMigrations, ...walletKeysMigrations];
  database = await Database.connect({ url: test.url, poolSize: 4, rows: [], migrations });
  await migrate(database);
});
afterAll(async () => {
  await database.close();
  await test.drop();
});

const secret = randomBytes(32).toString('base64');
const keys = (PARLEY_SECRET_KEY = secret) => new SealedKeys(database, readConfiguration({ PARLEY_SECRET_KEY }));
const newUser = () => asId<UserId>(uuidV4());
const message = Buffer.from('withdraw 1.5 USDC');

/** Whether the signature is valid, judged by the public key alone. */
function signedBy(publicKeyHex: string, signature: Uint8Array): boolean {
  const x = Buffer.from(publicKeyHex, 'hex').toString('base64url');
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  return verify(null, message, key, signature);
}

describe('the wallets’ keys', () => {
  it('are made on first use and the same ever after, in every process', async () => {
    const user = newUser();
    const named = await Promise.all(Array.from({ length: 8 }, () => keys().publicKey(user)));
    expect(named[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(named).size).toBe(1);
    expect(await keys().publicKey(newUser())).not.toBe(named[0]);
  });

  it('sign what their public key verifies', async () => {
    const user = newUser();
    const signature = await keys().sign(user, message);
    expect(signedBy(await keys().publicKey(user), signature)).toBe(true);
    expect(signedBy(await keys().publicKey(newUser()), signature)).toBe(false);
  });

  it('are never stored in the open', async () => {
    const user = newUser();
    await keys().publicKey(user);
    const [row] = await database.query<{ sealed: Buffer }>('SELECT sealed FROM wallet_keys WHERE user_id = $1', [user]);
    // A PKCS #8 Ed25519 key contains its algorithm's identifier (RFC 8410).
    expect(row?.sealed.includes(Buffer.from('06032b6570', 'hex'))).toBe(false);
    expect(row?.sealed.length).toBe(12 + 16 + 48);
  });

  it('do not open with another secret', async () => {
    const user = newUser();
    await keys().publicKey(user);
    await expect(keys(randomBytes(32).toString('base64')).sign(user, message)).rejects.toThrow();
  });

  it.each(['user_id', 'public_key'])('do not open in a row whose %s was changed', async (column) => {
    const [user, thief] = [newUser(), newUser()];
    await keys().publicKey(user);
    const changed = { user_id: `'${thief}'`, public_key: `'${'0'.repeat(64)}'` }[column];
    await database.query(`UPDATE wallet_keys SET ${column} = ${changed} WHERE user_id = $1`, [user]);
    await expect(keys().sign(column === 'user_id' ? thief : user, message)).rejects.toThrow();
    await database.query('DELETE FROM wallet_keys');
  });
});
