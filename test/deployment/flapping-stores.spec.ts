/**
 * Stores that answer the first check and are away again before the start is complete: the start waits for them as for stores that never
 * answered.
 */
import { startPatiently, startServing, startWorking, type RunningProcess } from '@app/composition';
import { readConfiguration } from '@app/settings';
import { Client } from 'pg';
import { LoopbackIssuer } from '@app/testing/identity';
import { freePorts } from '@app/testing/processes';
import { EmbeddedStore } from '@app/testing/event-store';
import { startPostgresProxy, type PostgresProxy } from '@app/testing/stores';
import { until } from '@app/testing/until';

const WITHIN_MS = 300_000;

let store: EmbeddedStore;
let proxy: PostgresProxy;
let issuer: LoopbackIssuer;
let admin: Client;
beforeAll(async () => {
  store = await EmbeddedStore.start();
  proxy = await startPostgresProxy(store.database.url);
  issuer = new LoopbackIssuer();
  await issuer.start();
  admin = new Client({ connectionString: store.database.url });
  await admin.connect();
}, WITHIN_MS);
afterAll(async () => {
  await admin.end();
  await issuer.stop();
  await proxy.close();
  await store.stop();
}, WITHIN_MS);

async function counted(sql: string): Promise<number> {
  const { rows } = await admin.query<{ count: string }>(`SELECT count(*) FROM ${sql}`);
  return Number(rows[0]?.count);
}

describe.each(['api', 'worker'] as const)('of %s', (app) => {
  it.each(['INSERT INTO processes', 'parley listen'])(
    'at "%s"',
    async (text) => {
      const [PORT = 0, MANAGEMENT_PORT = 0] = await freePorts(2);
      const configuration = readConfiguration({
        PORT: String(PORT),
        MANAGEMENT_PORT: String(MANAGEMENT_PORT),
        DATABASE_URL: proxy.url,
        EVENTSTORE_URL: store.address,
        OIDC_ISSUER: issuer.issuer,
        PARLEY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
        DRAIN_SECONDS: '1',
        LOG_LEVEL: 'silent',
      });
      const patience = { configuration, serves: app === 'api', interrupted: new AbortController().signal };
      const asked = issuer.requests;
      const fault = proxy.breakAt(text);
      let running: RunningProcess | null = null;
      const starting = startPatiently(patience, (issuers) =>
        app === 'api'
          ? startServing(configuration, { api: true, worker: false }, { issuers })
          : startWorking(configuration),
      ).then((started) => (running = started));
      // Rejects if the start gives up.
      await Promise.race([starting, until('a second try', async () => fault.times() > 1 || null)]);
      expect(running).toBeNull();
      const saysAway = () =>
        fetch(`http://127.0.0.1:${MANAGEMENT_PORT}/readyz`).then(
          async ({ status }) => (status === 503 ? true : null),
          () => null, // it is about to try again
        );
      await until('a word of it', saysAway);
      fault.mend();
      const started = await starting;
      // One request for the discovery document and one for the keys.
      expect(issuer.requests - asked).toBe(app === 'api' ? 2 : 0);
      const own = "application_name = 'parley listen' AND datname = current_database()";
      await until('one listener', async () => (await counted(`pg_stat_activity WHERE ${own}`)) === 1 || null);
      const alive = "processes WHERE heartbeat_at > now() - interval '3 s'";
      await until('one process', async () => (await counted(alive)) === 1 || null);
      await started.stop();
    },
    WITHIN_MS,
  );
});
