import { decodeOwn, openEvents, type ReceivedEvent } from '@app/event-store';
import { startEmbeddedPostgres } from '@app/embedded-postgres';
import { startEventStoreServer, type EventStoreServer } from '@app/event-store-server';
import { VerbatimStore, type VerbatimEvent } from '@app/event-migration';
import { Database, PostgresKeys, sealingKeysTable } from '@app/read-store';
import { Sealing, type Configuration } from '@app/runtime';
import { KeyRing } from '@app/sealing';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** An event store for tests, over a database of its own. */
export interface StoreSide {
  readonly database: TestDatabase;
  readonly url: string;
  close(this: void): Promise<void>;
}

export async function storeSide(): Promise<StoreSide> {
  const database = await createTestDatabase();
  const server = await startEventStoreServer({ databaseUrl: database.url, listen: { host: '127.0.0.1', port: 0 } });
  return {
    database,
    url: urlOf(server),
    close: async () => {
      await server.close();
      await database.drop();
    },
  };
}

function urlOf({ address }: EventStoreServer): string {
  return `esdb://${address}?tls=false`;
}

/** All events of a store, with their bytes as text. */
export async function textsIn(url: string): Promise<string[]> {
  const store = new VerbatimStore(url);
  const found: string[] = [];
  for await (const { stream, data, metadata } of store.events())
    found.push(`${stream} ${Buffer.from(data).toString('utf8')} ${Buffer.from(metadata).toString('utf8')}`);
  await store.close();
  return found;
}

/**
 * Copies the events of a stopped data folder into another store as versions before the sealing would have stored them: with their words
 * open. The folder's database forgets the keys, and gets what such a version would have left in it.
 * @returns the number of events that had words
 */
export async function storeAsBefore(dataDir: string, to: string, alsoSql: string): Promise<number> {
  const postgres = await startEmbeddedPostgres({ dataDir: join(dataDir, 'postgres') });
  const url = postgres.url('parley');
  const server = await startEventStoreServer({ databaseUrl: url, listen: { host: '127.0.0.1', port: 0 } });
  const [source, target] = [new VerbatimStore(urlOf(server)), new VerbatimStore(to)];
  const database = await Database.connect({ url, poolSize: 2, rows: [], migrations: [] });
  // Reason for the assertions: the file's content is specified, and sealing reads nothing else of a configuration.
  const { secretKey } = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8')) as { secretKey: string };
  const sealing = new Sealing({ env: { PARLEY_SECRET_KEY: secretKey } } as Configuration, sealingKeysTable.label);
  const keys = new KeyRing(new PostgresKeys(database, sealing));
  let withWords = 0;
  for await (const event of source.events()) {
    const open = await opened(event, keys);
    if (open !== event) withWords += 1;
    await target.append([[open]]);
  }
  await database.query(`DELETE FROM sealing_keys WHERE key_id ~ '^[uc]/'`);
  await database.query(alsoSql);
  keys.close();
  await Promise.all([source.close(), target.close(), database.close()]);
  await server.close();
  await postgres.stop();
  return withWords;
}

async function opened(event: VerbatimEvent, keys: KeyRing): Promise<VerbatimEvent> {
  const stored = decodeOwn({
    ...event,
    kind: 'event',
    revision: Number(event.revision),
    position: Number(event.position),
    isJson: true,
    data: Buffer.from(event.data),
    metadata: Buffer.from(event.metadata),
  } satisfies ReceivedEvent & { contentType: string });
  if (stored?.metadata.sealed === undefined) return event;
  const [{ payload, metadata } = stored] = await openEvents(keys, [stored]);
  return { ...event, data: Buffer.from(JSON.stringify(payload)), metadata: Buffer.from(JSON.stringify(metadata)) };
}

/** Everything in a stopped data folder's database but the events, as text. */
export async function rowsIn(dataDir: string): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir: join(dataDir, 'postgres') });
  const database = await Database.connect({ url: postgres.url('parley'), poolSize: 1, rows: [], migrations: [] });
  const tables = await database.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema', 'event_store') ORDER BY 1`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const rows = await database.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`);
    texts.push(...rows.map(({ text }) => `${name} ${text}`));
  }
  await database.close();
  await postgres.stop();
  return texts.join('\n');
}
