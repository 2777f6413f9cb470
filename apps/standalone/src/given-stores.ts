import { holdsSealed, listenFailure } from '@app/composition';
import { checkEventStore } from '@app/event-store';
import { Unavailable } from '@app/kernel';
import { answering, checkDatabase } from '@app/read-store';
import type { Configuration } from '@app/settings';
import { Client } from 'pg';
import { createServer } from 'node:net';

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

/** Production uses nothing of a sandbox but its stores, and warns about those (docs/decisions/configuration-and-start.md). */
export function warnOfEmbeddedStores({ env, sandbox }: Configuration, log: (line: string) => void): void {
  if (sandbox) return;
  if (env.DATABASE_URL === undefined)
    log('warning: the embedded PostgreSQL runs on this machine alone; DATABASE_URL names another');
  if (env.EVENTSTORE_URL === undefined)
    log('warning: the embedded event store runs on this machine alone; EVENTSTORE_URL names another');
}

/** Checks that the ports are free, before the whole service is started. @throws CannotStart */
export async function ensureFreePorts({ env }: Configuration): Promise<void> {
  const wanted = [
    ['PORT', env.HOST],
    ['MANAGEMENT_PORT', env.MANAGEMENT_HOST],
  ] as const;
  for (const [variable, host] of wanted) {
    await tryPort(host, env[variable]).catch((error: unknown) => {
      throw listenFailure(error, variable, env[variable]);
    });
  }
}

function tryPort(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}
