/**
 * A crash of PostgreSQL may undo the last projections, because they do not wait for the disk: the read gate must not
 * trust them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { connectEventStore, EventStore } from '@app/event-store';
import { Notifications, ReadGate } from '@app/read-store';
import { Metrics } from '@app/runtime';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';

let database: TestDatabase;
let client: Client;
let notifications: Notifications;
beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  notifications = new Notifications(database.url);
});
afterAll(async () => {
  await notifications.close();
  await client.end();
  await database.drop();
});

const hear = (position: number) =>
  client.query('SELECT pg_notify($1, $2)', ['parley_read_models', `7:${position}:1:0`]);

test('what was heard before the connection broke does not count after it', async () => {
  const store = new EventStore(connectEventStore('unix:/nowhere'));
  const gate = new ReadGate(notifications, store, new Metrics(), [], () => new Set([7]));
  await notifications.open();
  await hear(10);
  await gate.waitForProjection(10);

  const reconnected = new Promise<void>((resolve) => notifications.onReconnected(resolve));
  await client.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'parley listen' AND datname = current_database()",
  );
  await reconnected;
  await hear(5);
  await sleep(50);
  const passing = gate.waitForProjection(10).then(() => 'passed');
  expect(await Promise.race([passing, sleep(200, 'waiting')])).toBe('waiting');
  await hear(10);
  expect(await passing).toBe('passed');
});
