/** The rows of a stream, read past any server. */
import { Client } from 'pg';
import { EmbeddedStore, testEvents, uniqueStream } from '@app/testing/event-store';
import { EventStoreDBClient } from '@eventstore/db-client';
import { storedRowsOf, type StoredRow } from '../src/storage/stored-rows';

let store: EmbeddedStore;
let client: EventStoreDBClient;
let database: Client;
beforeEach(async () => {
  store = await EmbeddedStore.start();
  client = new EventStoreDBClient({ endpoint: store.address }, { insecure: true });
  database = new Client({ connectionString: store.database.url });
  await database.connect();
});
afterEach(async () => {
  await client.dispose();
  await database.end();
  await store.stop();
});

async function rowsOf(stream: string): Promise<StoredRow[]> {
  // Reason for the assertion: the statement names the columns.
  const query = async <Row>(text: string, values: readonly unknown[]) =>
    (await database.query(text, [...values])).rows as Row[];
  const rows: StoredRow[] = [];
  for await (const row of storedRowsOf(query, stream)) rows.push(row);
  return rows;
}

it('are the events of a tombstoned stream, without the tombstone', async () => {
  const stream = uniqueStream();
  await client.appendToStream(stream, testEvents(3));
  await client.tombstoneStream(stream);
  expect((await rowsOf(stream)).map(({ revision }) => revision)).toEqual([0, 1, 2]);
});
