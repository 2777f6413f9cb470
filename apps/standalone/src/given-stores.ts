import { holdsSealed } from '@app/composition';
import { checkEventStore } from '@app/event-store';
import { Unavailable } from '@app/kernel';
import { answering, checkDatabase } from '@app/read-store';
import type { Configuration } from '@app/settings';
import { Client } from 'pg';

const lookWithinMs = 5_000;

/**
 * Checks that the stores named in the environment answer and can carry the service, before anything is started on them.
 * @throws Unavailable, UnfitDatabase, UnfitEventStore
 */
export async function checkGivenStores({ env }: Configuration): Promise<void> {
  if (env.DATABASE_URL !== undefined) await checkDatabase(env.DATABASE_URL);
  if (env.EVENTSTORE_URL === undefined) return;
  if ((await checkEventStore(env.EVENTSTORE_URL)) === 'away') throw new Unavailable('event store');
}

/** Whether the database holds secrets sealed under PARLEY_SECRET_KEY. */
export async function databaseHoldsSealed(databaseUrl: string): Promise<boolean> {
  return onDatabase(databaseUrl, (client) => holdsSealed(async (sql) => (await client.query<object>(sql)).rows));
}

async function onDatabase<Value>(url: string, body: (client: Client) => Promise<Value>): Promise<Value> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: lookWithinMs });
  client.on('error', () => undefined); // a statement in flight fails with it
  return answering(async () => {
    try {
      await client.connect();
      return await body(client);
    } finally {
      await client.end();
    }
  });
}
