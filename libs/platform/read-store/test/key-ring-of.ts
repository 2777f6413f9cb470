import { Sealing, type Configuration } from '@app/runtime';
import { KeyRing } from '@app/sealing';
import type { Database } from '../src';
import { PostgresKeys, sealingKeysTable } from '../src/keys/postgres-keys';

/** The keys in a database, wrapped by a secret that every test has. */
export function postgresKeysOf(database: Database): PostgresKeys {
  const env = { PARLEY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };
  // Reason for the assertion: sealing reads nothing else of a configuration.
  return new PostgresKeys(database, new Sealing({ env } as Configuration, sealingKeysTable.label));
}

export function keyRingOf(database: Database): KeyRing {
  return new KeyRing(postgresKeysOf(database));
}
