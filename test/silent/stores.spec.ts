/** A store accepts and never answers: callers are told in time, and a process that is told to end does. */
import { SilentSocket } from '../support/silent-socket';
import { conversationOf, start } from '../e2e/journeys';
import { startDeployment, type Deployment } from '../support/deployment';
import type { TestClient } from '../support/deployment-client';
import { isReady } from '../support/deployment-process';
import { EmbeddedStore } from '../support/embedded-stores';
import { createTestDatabase, type TestDatabase } from '../support/postgres';
import { until } from '../support/until';
import { join } from 'node:path';

const WITHIN_MS = 300_000;
const waitMs = 120_000;
const away = { status: 503, body: { reason: 'internal', retryable: true } };

let database: TestDatabase;
let store: EmbeddedStore;
let ways: { readonly database: SilentSocket; readonly 'event store': SilentSocket };
let traces: SilentSocket;
let deployment: Deployment;
let user: TestClient;
beforeAll(async () => {
  database = await createTestDatabase();
  store = await EmbeddedStore.start();
  const url = new URL(database.url);
  const port = url.port === '' ? '5432' : url.port;
  ways = {
    database: await SilentSocket.before({ path: join(url.searchParams.get('host') ?? '', `.s.PGSQL.${port}`) }),
    'event store': await SilentSocket.before({ path: store.address.slice('unix:'.length) }),
  };
  traces = await SilentSocket.start();
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  url.port = String(ways.database.port);
  deployment = await startDeployment({
    mode: 'processes',
    env: {
      DATABASE_URL: url.toString(),
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
  await Promise.all([...Object.values(ways), traces].map((way) => way.close()));
  await store.stop();
  await database.drop();
}, WITHIN_MS);

const all = () => [...deployment.apis, ...deployment.workers];

describe.each(['database', 'event store'] as const)('the %s', (name) => {
  it(
    'is told to whoever asks, and found again',
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
      await until('readiness', async () => ((await isReady(user.baseUrl)) ? true : null), waitMs);
      await until(
        'a conversation',
        async () => {
          return (await user.post('/conversations', {})).status === 201 ? true : null;
        },
        waitMs,
      );
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
