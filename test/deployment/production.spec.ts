import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEventStoreServer, type EventStoreServer } from '@app/event-store-server';
import { LoopbackIssuer } from '@app/testing/identity';
import { type AppName, freePorts, isReady, TestProcess } from '@app/testing/processes';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { until } from '@app/testing/until';
import { jsonOf, parley } from './cli';

/** A key that a sandbox generated, which production refuses. */
const sandboxKey = randomBytes(32).toString('base64');
const readyWithinMs = 120_000;

let folder: string;
let database: TestDatabase;
let store: EventStoreServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-production-'));
  await mkdir(join(folder, '.parley'));
  const secrets = { secretKey: sandboxKey, partnerKey: `pk_${'s'.repeat(43)}` };
  await writeFile(join(folder, '.parley', 'secrets.json'), JSON.stringify(secrets));
  database = await createTestDatabase();
  store = await startEventStoreServer({ databaseUrl: database.url, listen: { host: '127.0.0.1', port: 0 } });
});
afterAll(async () => {
  await store.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Every default of a sandbox, and one value that is plainly wrong. */
const sandboxDefaults = {
  PARLEY_MODE: 'production',
  PARLEY_SECRET_KEY: sandboxKey,
  OIDC_ISSUER: 'http://127.0.0.1:8080/sandbox/issuer',
  PORT: 'eighty',
};
const complaints = [
  'PARLEY_SECRET_KEY: was generated for a sandbox',
  "OIDC_ISSUER: is a sandbox's issuer",
  'WALLET_PROVIDER: production takes near-intents only',
  'PORT: ',
];

function stores(): Record<string, string> {
  return { DATABASE_URL: database.url, EVENTSTORE_URL: `esdb://${store.address}?tls=false` };
}

describe('production refuses every sandbox default, all at once', () => {
  it.each<AppName>(['api', 'worker', 'standalone'])('in the %s', async (app) => {
    const env = { ...sandboxDefaults, ...stores() };
    const refused = new TestProcess({ app, cwd: folder, env, ready: () => false });
    await expect(refused.start()).rejects.toThrow(`${app} ended with 1`);
    for (const complaint of complaints) expect(refused.output).toContain(complaint);
    expect(refused.output).not.toContain(sandboxKey);
    expect(refused.output).not.toMatch(/^ +at /m);
  });

  it('in the command line', async () => {
    const { code, stdout, stderr } = await parley({ ...sandboxDefaults, ...stores() }, ['keys', 'list'], folder);
    expect([code, stdout]).toEqual([1, '']);
    for (const complaint of complaints) expect(stderr).toContain(complaint);
    expect(stderr).not.toContain(sandboxKey);
  });

  it.each<AppName>(['api', 'worker'])('and the stores that only npm start brings, in the %s', async (app) => {
    const env = { PARLEY_MODE: 'production', WALLET_PROVIDER: 'near-intents', OIDC_ISSUER: 'https://id.example' };
    const key = { PARLEY_SECRET_KEY: randomBytes(32).toString('base64'), SOLVER_RELAY_TOKEN: 'for-the-relay' };
    const refused = new TestProcess({ app, cwd: folder, env: { ...env, ...key }, ready: () => false });
    await expect(refused.start()).rejects.toThrow('not set: DATABASE_URL, EVENTSTORE_URL');
  });
});

describe('production', () => {
  it(
    'starts over real stores, takes keys from the command line, and has no sandbox',
    async () => {
      const [port, management, workerPort] = await freePorts(3);
      const issuer = new LoopbackIssuer();
      await issuer.start();
      const shared = {
        PARLEY_MODE: 'production',
        WALLET_PROVIDER: 'near-intents',
        SOLVER_RELAY_TOKEN: 'for-the-relay',
        OIDC_ISSUER: issuer.issuer,
        LOG_LEVEL: 'warn',
        PARLEY_SECRET_KEY: randomBytes(32).toString('base64'),
        HOST: '127.0.0.1',
        ...stores(),
      };
      const baseUrl = `http://127.0.0.1:${port}`;
      const env = { ...shared, PORT: String(port), MANAGEMENT_PORT: String(management) };
      const worker = new TestProcess({
        app: 'worker',
        cwd: folder,
        env: { ...shared, MANAGEMENT_PORT: String(workerPort) },
        ready: () =>
          fetch(`http://127.0.0.1:${workerPort}/metrics`).then(
            ({ ok }) => ok,
            () => false,
          ),
      });
      const api = new TestProcess({ app: 'api', cwd: folder, env, ready: () => isReady(baseUrl) });
      try {
        await Promise.all([worker.start(), api.start()]);
        const { key } = jsonOf<{ key: string }>(
          await parley(shared, ['keys', 'mint', '--label', 'first', '--reason', 'a test', '--yes', '--json'], folder),
        );
        const withKey = await until('the key', async () => {
          const answer = await fetch(`${baseUrl}/v1/users/me`, { headers: { 'x-api-key': key } });
          const { reason } = (await answer.json()) as { reason?: string };
          // The key was accepted if only the user's token is missing.
          return answer.status === 401 && reason === undefined ? answer : null;
        });
        expect(withKey.status).toBe(401);
        expect((await fetch(`${baseUrl}/sandbox/v1/clock`)).status).toBe(404);
        expect((await fetch(`${baseUrl}/sandbox/issuer/.well-known/openid-configuration`)).status).toBe(404);
      } finally {
        await Promise.all([worker.stop(), api.stop(), issuer.stop()]);
      }
    },
    readyWithinMs,
  );
});
