/** A store accepts connections and never answers: callers get an answer in time, and a process that is asked to end does. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conversationOf, start } from '@app/testing/journeys';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { isReady, TestProcess } from '@app/testing/processes';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { SilentSocket } from '@app/testing/proxies';
import { until } from '@app/testing/until';

const WITHIN_MS = 300_000;
const waitMs = 120_000;
const away = { status: 503, body: { reason: 'internal', retryable: true } };

let folder: string;
let databases: readonly TestDatabase[];
let store: TestProcess;
/** `storage` is the PostgreSQL behind the event store. */
let ways: Record<'database' | 'event store' | 'storage', SilentSocket>;
let traces: SilentSocket;
let deployment: Deployment;
let user: TestClient;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-silent-stores-'));
  const socketPath = join(folder, 'events.sock');
  const [database, storage] = [await createTestDatabase(), await createTestDatabase()];
  databases = [database, storage];
  ways = {
    database: await SilentSocket.before({ path: socketOf(database) }),
    'event store': await SilentSocket.before({ path: socketPath }),
    storage: await SilentSocket.before({ path: socketOf(storage) }),
  };
  store = new TestProcess({
    app: 'event-store',
    env: { DATABASE_URL: urlBy(ways.storage, storage), EVENT_STORE_LISTEN: `unix:${socketPath}` },
    ready: (output) => output.includes('event store ready'),
  });
  await store.start();
  traces = await SilentSocket.start();
  deployment = await startDeployment({
    mode: 'processes',
    env: {
      DATABASE_URL: urlBy(ways.database, database),
      EVENTSTORE_URL: `esdb://127.0.0.1:${ways['event store'].port}?tls=false`,
      DATABASE_TIMEOUT_MS: '2000',
      DRAIN_SECONDS: '1',
      LOG_LEVEL: 'error',
      OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
    },
  });
  user = await deployment.newUser();
}, WITHIN_MS);
afterAll(async () => {
  for (const way of Object.values(ways)) way.speak();
  await deployment.stop();
  await store.stop();
  await Promise.all([...Object.values(ways), traces].map((way) => way.close()));
  for (const database of databases) await database.drop();
  await rm(folder, { recursive: true });
}, WITHIN_MS);

function socketOf({ url }: TestDatabase): string {
  const { port, searchParams } = new URL(url);
  return join(searchParams.get('host') ?? '', `.s.PGSQL.${port || '5432'}`);
}

function urlBy(way: SilentSocket, database: TestDatabase): string {
  const url = new URL(database.url);
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  url.port = String(way.port);
  return url.toString();
}

const all = () => [...deployment.apis, ...deployment.workers];

async function untilItWorks(): Promise<void> {
  await until('readiness', async () => ((await isReady(user.baseUrl)) ? true : null), waitMs);
  const created = async () => ((await user.post('/conversations', {})).status === 201 ? true : null);
  await until('a conversation', created, waitMs);
}

describe.each(['database', 'event store'] as const)('the %s', (name) => {
  it(
    'is told to those who ask, and found again',
    async () => {
      const conversationId = await conversationOf(user);
      ways[name].fallSilent();
      const answers = await Promise.all([
        user.post('/conversations', {}),
        start(user, conversationId),
        user.get(`/conversations/${conversationId}/events?limit=10`),
      ]);
      for (const answer of answers) expect(answer).toMatchObject(away);
      const ready = await fetch(`${user.baseUrl}/readyz`);
      expect([ready.status, await ready.json()]).toMatchObject([503, { checks: { [name]: 'away' } }]);
      ways[name].speak();
      await untilItWorks();
    },
    WITHIN_MS,
  );

  it(
    'keeps no process from its end',
    async () => {
      ways[name].fallSilent();
      await Promise.all([user.get('/conversations'), user.post('/conversations', {})]);
      expect(await Promise.all(all().map((one) => one.stop()))).toEqual(all().map(() => 0));
      ways[name].speak();
      await Promise.all(all().map((one) => one.start()));
    },
    WITHIN_MS,
  );
});

describe('the PostgreSQL behind the embedded event store', () => {
  it(
    'is told to those who write, and found again',
    async () => {
      const conversationId = await conversationOf(user);
      ways.storage.fallSilent();
      const [created, started, read] = await Promise.all([
        user.post('/conversations', {}),
        start(user, conversationId),
        user.get(`/conversations/${conversationId}/events?limit=10`),
      ]);
      expect([created, started]).toMatchObject([away, away]);
      expect([200, 503]).toContain(read.status); // the event store keeps the newest events in memory
      const ready = await fetch(`${user.baseUrl}/readyz`);
      expect([ready.status, await ready.json()]).toMatchObject([503, { checks: { 'event store': 'away' } }]);
      ways.storage.speak();
      await untilItWorks();
    },
    WITHIN_MS,
  );

  it(
    'keeps no process from its end, the event store itself neither',
    async () => {
      ways.storage.fallSilent();
      await Promise.all([user.get('/conversations'), user.post('/conversations', {})]);
      expect(await Promise.all(all().map((one) => one.stop()))).toEqual(all().map(() => 0));
      expect(await store.stop()).toBe(0);
      ways.storage.speak();
      await store.start();
      await Promise.all(all().map((one) => one.start()));
      await untilItWorks();
    },
    WITHIN_MS,
  );
});
