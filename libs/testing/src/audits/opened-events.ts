import { openEvents, type StoredEvent } from '@app/event-store';
import { Database, PostgresKeys, sealingKeysTable } from '@app/read-store';
import { Sealing, type Configuration } from '@app/runtime';
import { KeyRing } from '@app/sealing';
import { testSecretKey } from '../deployment/secret-key';

/** The keys in a deployment's database. The caller closes it. @param secretKey that wraps them */
export async function keysIn(
  databaseUrl: string,
  secretKey = testSecretKey,
): Promise<{ readonly ring: KeyRing; close(): Promise<void> }> {
  const database = await Database.connect({ url: databaseUrl, poolSize: 1, rows: [], migrations: [] });
  // Reason for the assertion: sealing reads nothing else of a configuration.
  const sealing = new Sealing({ env: { PARLEY_SECRET_KEY: secretKey } } as Configuration, sealingKeysTable.label);
  const ring = new KeyRing(new PostgresKeys(database, sealing));
  return {
    ring,
    close: async () => {
      ring.close();
      await database.close();
    },
  };
}

/** Returns events of a deployment with their words open. */
export async function openedEvents(
  databaseUrl: string,
  events: readonly StoredEvent[],
  secretKey = testSecretKey,
): Promise<readonly StoredEvent[]> {
  const { ring, close } = await keysIn(databaseUrl, secretKey);
  try {
    return await openEvents(ring, events);
  } finally {
    await close();
  }
}
